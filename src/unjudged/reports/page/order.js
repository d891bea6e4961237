// ---- who beats whom, and does it survive the holes?

const verdicts = ['certain', 'likely', 'undetermined'];
const verdictTips = {
  certain: 'no grades of the unjudged documents change the sign of the difference',
  likely: 'the same run is better in at least 95% of the draws',
  undetermined: 'judging the holes could change it',
};
const significant = data.significant;

function showOrder() {
  const found = data.order[state.measure];
  if (found.skipped) return [lead(found.lead)];
  const rows = rowsOf(found.rows);
  const pairs = rowsOf(found.pairs);
  return [
    lead(found.lead),
    note(
      `Verdicts are about the holes on these ${found.topics} topics, p-values about other topics (${tested(found)}).`,
    ),
    remarks(found),
    el('h3', null, 'Every pair'),
    matrix(rows, pairs),
    el('h3', null, 'One run against the others'),
    ...pairTable(rows, pairs, found),
    el('h3', null, 'Ranks, and what is uncertain'),
    note(
      `Ranks that a run has in 95% of ${whole(found.draws)} draws of topics and of grades for the holes; standard deviations of its mean from each source.`,
    ),
    rankTable(found, rows),
  ];
}

const tested = (found) => `${found.test} test${found.correction === 'none' ? '' : `, ${found.correction} correction`}`;

// ---- the pairs of one run

function pairTable(rows, pairs, found) {
  if (!rows.some((row) => row.run === state.against)) state.against = rows[0].run;
  const choose = el(
    'select',
    {
      id: 'against',
      change: () => {
        state.against = Number(choose.value);
        redraw('order');
        document.getElementById('against').focus();
      },
    },
    rows.map((row) => el('option', { value: row.run }, data.runs[row.run])),
  );
  choose.value = String(state.against);
  const mine = pairs
    .filter((pair) => pair.run === state.against || pair.other === state.against)
    .map((pair) => (pair.run === state.against ? pair : turned(pair)));
  const verdictColumns = mine.some((pair) => pair.verdict)
    ? [
        {
          id: 'worst',
          label: 'Worst',
          get: (row) => row.worst,
          show: (row) => signed(row.worst),
          tip: 'Lowest difference over all grades of the unjudged documents',
        },
        {
          id: 'best',
          label: 'Best',
          get: (row) => row.best,
          show: (row) => signed(row.best),
          tip: 'Highest difference over all grades of the unjudged documents',
        },
        {
          id: 'greater',
          label: 'P(A>B)',
          get: (row) => row.p_greater,
          show: (row) => number(row.p_greater, 2),
          tip: 'Share of draws of grades in which the chosen run is better',
        },
        {
          id: 'verdict',
          label: 'Verdict',
          text: true,
          get: (row) => row.verdict,
          show: (row) => el('span', { 'data-tip': verdictTips[row.verdict] }, row.verdict),
        },
      ]
    : [];
  const table = sortable({
    id: 'pair-table',
    label: `Differences from ${data.runs[state.against]}`,
    rows: mine,
    sort: { id: 'difference', down: false },
    columns: [
      { ...runColumn((row) => row.other), label: 'B: other run' },
      {
        id: 'difference',
        label: 'A − B',
        low: true,
        get: (row) => row.difference,
        show: (row) => signed(row.difference),
        tip: `Difference of mean ${found.measure}, unjudged documents not relevant`,
      },
      {
        id: 'interval',
        label: '95% interval',
        get: (row) => row.low,
        show: (row) => range(row.low, row.high, signed),
        tip: `Over topics (${found.interval_method})`,
      },
      {
        id: 'p',
        label: 'p',
        low: true,
        get: (row) => row.p,
        show: (row) => probability(row.p),
        tip: `${found.test} test over topics`,
      },
      ...(found.correction === 'none'
        ? []
        : [
            {
              id: 'corrected',
              label: `p (${found.correction})`,
              low: true,
              get: (row) => row.corrected_p,
              show: (row) => probability(row.corrected_p),
              tip: 'Corrected for the number of pairs',
            },
          ]),
      ...verdictColumns,
    ],
  });
  return [el('p', { class: 'tools' }, el('label', null, 'A: ', choose)), table];
}

const minus = (value) => (known(value) ? -value : value);

function turned(pair) {
  return {
    ...pair,
    run: pair.other,
    other: pair.run,
    difference: minus(pair.difference),
    low: minus(pair.high),
    high: minus(pair.low),
    worst: minus(pair.best),
    best: minus(pair.worst),
    p_greater: known(pair.p_greater) ? 1 - pair.p_greater : null,
  };
}

// ---- ranks

function rankTable(found, rows) {
  const spread = new Map(rowsOf(found.budget).map((row) => [row.run, row]));
  const width = 200;
  const at = scale(1, Math.max(2, rows.length), width);
  const all = rows.map((row) => ({ ...row, ...spread.get(row.run) }));
  const graphic = (row) =>
    svg(
      'svg',
      { width, height: 14, 'aria-hidden': 'true' },
      svg('line', { class: 'range', x1: at(row.rank_low), x2: at(row.rank_high), y1: 7, y2: 7 }),
      svg('circle', { class: 'dot', cx: at(row.rank), cy: 7, r: 3.5 }),
    );
  return sortable({
    id: 'rank-table',
    label: 'Ranks',
    rows: all,
    sort: { id: 'rank', down: false },
    columns: [
      runColumn(),
      ...groupColumn(),
      { id: 'rank', label: 'Rank', low: true, get: (row) => row.rank },
      {
        id: 'mean',
        label: found.measure,
        get: (row) => row.mean,
        show: (row) => number(row.mean),
        tip: 'Unjudged documents not relevant',
      },
      {
        id: 'expected',
        label: 'Expected',
        get: (row) => row.expected,
        show: (row) => number(row.expected),
        tip: 'Mean over draws of grades for the holes',
      },
      {
        id: 'holes',
        label: 'sd: holes',
        get: (row) => row.holes,
        show: (row) => number(row.holes),
        tip: 'Standard deviation of the mean, from not knowing the grades of the holes',
      },
      {
        id: 'topics',
        label: 'sd: topics',
        get: (row) => row.topics,
        show: (row) => number(row.topics),
        tip: 'Standard deviation of the mean, from the choice of topics',
      },
      {
        id: 'ranks',
        label: 'Ranks',
        low: true,
        get: (row) => row.rank_low,
        show: (row) => (row.rank_low === row.rank_high ? String(row.rank_low) : `${row.rank_low}–${row.rank_high}`),
      },
      { id: 'chart', label: '', head: () => axis(1, Math.max(2, rows.length), width), show: graphic },
    ],
  });
}
