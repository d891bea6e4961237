// ---- where do the numbers come from?

function showOrigin() {
  const { version, core, seed, command, inputs, warnings } = data.origin;
  return [
    lead(
      `Everything here was computed by unjudged ${version} from the files below, with seed ${seed}; the same command on the same files gives the same page.`,
    ),
    command ? [el('h3', null, 'Command'), commandBox(command)] : null,
    note(
      `${core === 'fast' ? 'Compiled' : 'NumPy'} core. Numbers in this page have 8 significant digits; “unjudged score -f json” and its siblings give all of them.`,
    ),
    folded(inputs.length, 'file', 'with its hash', 'with their hashes', () => inputTable(inputs)),
    folded(warnings.length, 'remark', 'of all studies', 'of all studies', () => el('ul', null, warnings.map(warned))),
  ];
}

const warned = (one) => el('li', null, sentence(one.message), ' ', el('span', { class: 'faint' }, `[${one.code}]`));

function inputTable(inputs) {
  return sortable({
    id: 'input-table',
    label: 'Files',
    word: 'file',
    rows: inputs.map((one, place) => ({ ...one, place })),
    sort: 'place',
    columns: [
      textColumn('path', 'File', { show: (row) => name(row.path, { class: 'id' }) }),
      textColumn('role', 'Role'),
      numberColumn('place', 'No.', (place) => String(place + 1), { low: true }),
      {
        id: 'sha256',
        label: 'SHA-256',
        text: true,
        get: (row) => row.sha256 || '',
        show: (row) => el('span', { class: 'id' }, row.sha256 || 'not a file'),
      },
    ],
  });
}

function commandBox(command) {
  const text = el('code', null, command);
  const copy = el(
    'button',
    {
      type: 'button',
      click: () => {
        getSelection().selectAllChildren(text);
        copy.textContent = document.execCommand('copy') ? 'Copied' : 'Selected';
      },
    },
    'Copy',
  );
  return el('div', null, el('pre', null, text), el('p', { class: 'tools' }, copy));
}
