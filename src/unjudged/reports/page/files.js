// ---- are the files sound?

function showFiles() {
  const { judgments, findings, cutoffs, judged } = data.files;
  const notes = findings.filter((one) => one.severity === 'note');
  const grave = findings.filter((one) => one.severity !== 'note');
  const grades = judgments
    ? Object.entries(judgments.grades)
        .map(([grade, count]) => `grade ${grade}: ${whole(count)}`)
        .join(', ')
    : '';
  return [
    lead(data.files.lead),
    judgments
      ? note(
          `Judgments: ${grades}${judgments.pooled ? `, pooled but not judged: ${whole(judgments.pooled)}` : ''}. ` +
            `Runs return ${whole(data.files.documents)} documents in all.`,
        )
      : null,
    grave.length ? foundTable(grave, 'findings', 'finding') : null,
    folded(notes.length, 'note', 'which needs no attention', 'which need no attention', () => foundTable(notes, 'notes', 'note')),
    el('h3', null, 'How much of what runs return is judged?'),
    note(
      'Share of judged documents among the first k of each run, mean over topics. A score rests on these documents only.',
    ),
    judgedTable(cutoffs, judged),
  ];
}

function foundTable(findings, id, word) {
  const weight = { error: 0, warning: 1, note: 2 };
  const groups = new Map();
  for (const one of findings) {
    const key = `${one.severity} ${one.code}`;
    if (!groups.has(key)) groups.set(key, { ...one, places: [] });
    groups.get(key).places.push(one);
  }
  return sortable({
    id,
    label: `What the doctor found: ${word}s`,
    word,
    rows: [...groups.values()],
    sort: 'severity',
    columns: [
      {
        id: 'severity',
        label: 'Severity',
        low: true,
        left: true,
        get: (row) => weight[row.severity],
        show: (row) => el('span', { class: `severity ${row.severity}` }, row.severity),
      },
      textColumn('title', 'What', { words: true, show: foundWhat }),
      { id: 'places', label: 'Files', get: (row) => row.places.length },
      textColumn('next_step', 'What to do', { words: true, show: (row) => advice(row.next_step) }),
    ],
  });
}

function foundWhat(row) {
  const places = row.places.map((one) => el('li', null, name(one.where, { class: 'id' }), ' ', name(one.message)));
  return el('details', null, el('summary', null, sentenceCase(row.title)), el('ul', null, places));
}

function judgedTable(cutoffs, judged) {
  const rows = data.runs.map((_, run) => ({ run, judged: judged[run] }));
  const used = cutoffs.map((cutoff, i) => ({ cutoff, i })).filter(({ i }) => judged.some((shares) => known(shares[i])));
  return sortable({
    id: 'judged',
    label: 'Share judged',
    rows,
    sort: `at${used.length > 1 ? used[1].cutoff : used[0].cutoff}`,
    columns: [
      runColumn(),
      groupColumn(),
      used.map(({ cutoff, i }) => ({
        id: `at${cutoff}`,
        label: `Judged@${cutoff}`,
        low: true,
        get: (row) => row.judged[i],
        show: (row) => el('span', { class: 'share' }, bar(row.judged[i], 56), el('span', null, percent(row.judged[i]))),
      })),
    ],
  });
}
