// ---- what should be judged next?

function showJudge() {
  const found = data.judge;
  if (found.skipped) return [lead(found.lead)];
  return [lead(found.lead), remarks(found), documentsToJudge(found), expectedScores(found)];
}

function documentsToJudge(found) {
  if (!found.documents.length) return null;
  return [
    el('h3', null, 'Documents to judge'),
    note(`By ${found.strategy}, the first one first.`),
    sortable({
      id: 'judge-documents',
      label: 'Documents to judge',
      word: 'document',
      rows: found.documents,
      sort: 'place',
      columns: [
        numberColumn('place', 'Place', whole, { low: true }),
        textColumn('topic', 'Topic'),
        textColumn('doc', 'Document'),
        numberColumn('expected', 'Grade', (one) => number(one, 2), { tip: 'The grade that is expected' }),
        numberColumn('effect', 'Effect', (one) => number(one, 5), {
          tip: `How much its judgment should move the undecided differences of ${found.measure}`,
        }),
        { id: 'best', label: 'First in', text: true, get: (row) => (known(row.best) ? data.runs[row.best] : dash) },
        numberColumn('rank', 'Rank', whole, { low: true }),
        numberColumn('runs', 'Runs', whole, { tip: 'How many runs have it' }),
      ],
    }),
  ];
}

function expectedScores(found) {
  return [
    el('h3', null, 'Scores once all is judged'),
    note('Unjudged documents are expected to have the grades that judgments so far suggest; intervals are of 95%.'),
    sortable({
      id: 'judge-scores',
      label: 'Scores once all is judged',
      rows: found.runs,
      sort: 'expected',
      columns: [
        runColumn(),
        numberColumn('observed', 'So far', number, { tip: 'Unjudged documents as not relevant: biased' }),
        numberColumn('expected', 'Expected', number),
        { id: 'interval', label: '95% interval', get: (row) => row.high, show: (row) => range(row.low, row.high) },
      ],
    }),
  ];
}
