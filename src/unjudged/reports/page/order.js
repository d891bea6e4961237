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
      `Verdicts are about the holes on these ${found.topics} topics, p-values about other topics (${tested(found)}).` +
        (hasHoles(pairs) ? ' p, holes is about both: a paired t test on drawn grades, whose variance counts as well.' : ''),
    ),
    remarks(found),
    el('h3', null, 'Every pair'),
    matrix(rows, pairs),
    el('h3', null, 'One run against the others'),
    pairTable(rows, pairs, found),
    el('h3', null, 'Ranks, and what is uncertain'),
    note(
      `Ranks that a run has in 95% of ${whole(found.draws)} draws of topics and of grades for the holes; standard deviations of its mean from each source.`,
    ),
    rankTable(found, rows),
  ];
}

const hasHoles = (pairs) => pairs.some((pair) => known(pair.corrected_p_holes));

const tested = (found) => `${found.test} test${found.correction === 'none' ? '' : `, ${found.correction} correction`}`;

// ---- the pairs of one run

function pairTable(rows, pairs, found) {
  if (!rows.some((row) => row.run === state.against)) state.against = rows[0].run;
  const choose = el(
    'select',
    { id: 'against', change: () => compareWith(Number(choose.value)) },
    rows.map((row) => el('option', { value: row.run }, data.runs[row.run])),
  );
  choose.value = String(state.against);
  const mine = pairs
    .filter((pair) => pair.run === state.against || pair.other === state.against)
    .map((pair) => (pair.run === state.against ? pair : turned(pair)));
  const verdictColumns = mine.some((pair) => pair.verdict)
    ? [
        numberColumn('worst', 'Worst', signed, { tip: 'Lowest difference over all grades of the unjudged documents' }),
        numberColumn('best', 'Best', signed, { tip: 'Highest difference over all grades of the unjudged documents' }),
        numberColumn('p_greater', 'P(A>B)', (share) => number(share, 2), {
          tip: 'Share of draws of grades in which the chosen run is better',
        }),
        textColumn('verdict', 'Verdict', {
          show: (row) => el('span', { 'data-tip': verdictTips[row.verdict] }, row.verdict),
        }),
      ]
    : [];
  const table = sortable({
    id: 'pair-table',
    label: `Differences from ${data.runs[state.against]}`,
    rows: mine,
    sort: 'difference',
    columns: [
      runColumn('other', 'B: other run'),
      numberColumn('difference', 'A − B', signed, {
        low: true,
        tip: `Difference of mean ${found.measure}, unjudged documents not relevant`,
      }),
      {
        id: 'interval',
        label: '95% interval',
        get: (row) => row.low,
        show: (row) => range(row.low, row.high, signed),
        tip: `Over topics (${found.interval_method})`,
      },
      numberColumn('p', 'p', probability, { low: true, tip: `${found.test} test over topics` }),
      found.correction === 'none'
        ? []
        : numberColumn('corrected_p', `p (${found.correction})`, probability, {
            low: true,
            tip: 'Corrected for the number of pairs',
          }),
      hasHoles(mine)
        ? numberColumn('corrected_p_holes', 'p, holes', probability, {
            low: true,
            tip: 'A paired t test on drawn grades of the unjudged documents, corrected for the number of pairs',
          })
        : [],
      verdictColumns,
    ],
  });
  return [el('p', { class: 'tools' }, el('label', null, 'A: ', choose)), table];
}

function compareWith(run) {
  state.against = run;
  redraw('order');
  document.getElementById('against').focus();
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
  const width = innerWidth < 640 ? 120 : 200;
  const at = scale(1, Math.max(2, rows.length), width);
  const all = rows.map((row) => ({ ...row, ...spread.get(row.run) }));
  const graphic = (row) =>
    picture(width, 14, across('range', at(row.rank_low), at(row.rank_high), 7), circle('dot', at(row.rank), 7, 3.5));
  return sortable({
    id: 'rank-table',
    label: 'Ranks',
    rows: all,
    sort: 'rank',
    columns: [
      runColumn(),
      chartColumn(1, Math.max(2, rows.length), width, graphic),
      numberColumn('rank', 'Rank', String, { low: true }),
      numberColumn('mean', found.measure, number, { tip: 'Unjudged documents not relevant' }),
      numberColumn('expected', 'Expected', number, { tip: 'Mean over draws of grades for the holes' }),
      numberColumn('holes', 'sd: holes', number, {
        tip: 'Standard deviation of the mean, from not knowing the grades of the holes',
      }),
      numberColumn('topics', 'sd: topics', number, {
        tip: 'Standard deviation of the mean, from the choice of topics',
      }),
      {
        id: 'ranks',
        label: 'Ranks',
        low: true,
        get: (row) => row.rank_low,
        show: (row) => (row.rank_low === row.rank_high ? String(row.rank_low) : `${row.rank_low}–${row.rank_high}`),
      },
      groupColumn(),
    ],
  });
}
