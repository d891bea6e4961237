// ---- where do the numbers come from?

function showOrigin() {
  const { version, core, seed, command, inputs, warnings } = data.origin;
  return [
    lead(
      `Everything here was computed by unjudged ${version} from the files below, with seed ${seed}; the same command on the same files gives the same page.`,
    ),
    command ? el('h3', null, 'Command') : null,
    command ? commandBox(command) : null,
    note(
      `${core === 'fast' ? 'Compiled' : 'NumPy'} core. Numbers in this page have 8 significant digits; “unjudged score -f json” and its siblings give all of them.`,
    ),
    inputs.length ? el('h3', null, 'Files') : null,
    inputs.length
      ? sortable({
          id: 'input-table',
          label: 'Files',
          word: 'file',
          rows: inputs.map((one, place) => ({ ...one, place })),
          sort: { id: 'place', down: false },
          columns: [
            {
              id: 'path',
              label: 'File',
              text: true,
              get: (row) => row.path,
              show: (row) => name(row.path, { class: 'id' }),
            },
            { id: 'role', label: 'Role', text: true, get: (row) => row.role },
            { id: 'place', label: 'No.', low: true, get: (row) => row.place, show: (row) => String(row.place + 1) },
            {
              id: 'sha256',
              label: 'SHA-256',
              text: true,
              get: (row) => row.sha256 || '',
              show: (row) => el('span', { class: 'id' }, row.sha256 || 'not a file'),
            },
          ],
        })
      : null,
    warnings.length ? el('h3', null, counted(warnings.length, 'warning')) : null,
    warnings.length
      ? el(
          'ul',
          null,
          warnings.map((one) =>
            el('li', null, sentence(one.message), ' ', el('span', { class: 'faint' }, `[${one.code}]`)),
          ),
        )
      : null,
  ].filter(known);
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
