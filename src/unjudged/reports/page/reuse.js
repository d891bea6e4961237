// ---- can the collection be reused?

function showReuse() {
  const found = data.reuse;
  if (found.skipped) return [lead(found.lead)];
  return [
    lead(found.lead),
    note(`Tried with ${found.measure}. ${found.pool ? `The pool ${found.pool}. ` : ''}${found.rule}`),
    remarks(found),
    el('h3', null, 'Which method to trust'),
    methodTable(found),
    ...leftOut(found),
    ...covered(found),
  ];
}

function methodTable(found) {
  return sortable({
    id: 'method-table',
    label: 'Methods',
    word: 'method',
    rows: found.methods,
    sort: { id: 'wrong', down: false },
    columns: [
      { id: 'holes', label: 'Unjudged documents', text: true, get: (row) => row.holes },
      {
        id: 'wrong',
        label: 'Ranks wrong',
        low: true,
        get: (row) => row.rank_error,
        show: (row) => number(row.rank_error, 2),
        tip: 'By how many ranks a run is wrong whose own documents were not judged, on average',
      },
      {
        id: 'loss',
        label: '95% lose',
        low: true,
        get: (row) => row.loss,
        show: (row) => ranks(row.loss),
        tip: 'Ranks that 95% of such runs lose at most',
      },
      {
        id: 'tau',
        label: 'tau-b',
        get: (row) => row.tau_b,
        show: (row) => number(row.tau_b, 3),
        tip: 'Agreement of the order of runs with the true one',
      },
      {
        id: 'rmse',
        label: 'RMSE',
        low: true,
        get: (row) => row.rmse,
        show: (row) => number(row.rmse),
        tip: 'Typical error of a score',
      },
      {
        id: 'tried',
        label: 'Runs',
        get: (row) => row.tried,
        show: (row) => number(row.tried, 0),
        tip: 'Left-out runs that had holes: these numbers are about them',
      },
      { id: 'recommended', label: '', show: (row) => (row.recommended ? 'recommended' : '') },
    ],
  });
}

// The chosen hole model where it was tried, else the recommended one.
function methodShown(found) {
  const wanted = data.holes[state.holes].name;
  return found.methods.some((row) => row.holes === wanted) ? wanted : found.methods[0].holes;
}

function leftOut(found) {
  const model = methodShown(found);
  const rows = rowsOf(found.leaveout).filter((row) => row.holes === model);
  if (!rows.length) return [];
  const [width, last] = [180, data.runs.length];
  const at = scale(1, Math.max(2, last), width);
  const graphic = (row) =>
    svg(
      'svg',
      { width, height: 14, 'aria-hidden': 'true' },
      svg('line', { class: row.change > 0 ? 'loss' : 'move', x1: at(row.true_rank), x2: at(row.rank), y1: 7, y2: 7 }),
      svg('circle', { class: 'ring', cx: at(row.true_rank), cy: 7, r: 3.5 }),
      svg('circle', { class: 'dot', cx: at(row.rank), cy: 7, r: 3.5 }),
    );
  return [
    el('h3', null, 'Each run as if it were new'),
    note(
      `The documents that nobody else returned are taken out of the judgments, and the run is scored with what is left (${model}). A ring is its true rank, a dot the one it gets.`,
    ),
    sortable({
      id: 'leaveout-table',
      label: 'Runs left out',
      rows,
      sort: { id: 'change', down: true },
      columns: [
        runColumn(),
        { id: 'without', label: 'Left out with', text: true, get: (row) => row.left_out },
        { id: 'truth', label: 'Truth', get: (row) => row.true_score, show: (row) => number(row.true_score) },
        { id: 'estimate', label: 'Estimate', get: (row) => row.estimate, show: (row) => number(row.estimate) },
        {
          id: 'true-rank',
          label: 'Rank',
          low: true,
          get: (row) => row.true_rank,
          show: (row) => ranks(row.true_rank),
        },
        { id: 'rank', label: 'Becomes', low: true, get: (row) => row.rank, show: (row) => ranks(row.rank) },
        {
          id: 'lost',
          label: 'Holes tried',
          get: (row) => row.lost,
          show: (row) => percent(row.lost),
          tip: 'Share of the run’s first documents whose judgment was taken away; runs without any do not count above',
        },
        {
          id: 'never-judged',
          label: 'Never judged',
          get: (row) => row.never_judged,
          show: (row) => percent(row.never_judged),
          tip: 'Share of the run’s first documents that nobody ever judged, and that were taken out before. Above half, the run does not count above',
        },
        {
          id: 'change',
          label: 'Change',
          get: (row) => row.change,
          show: (row) => (row.change > 0 ? '+' : row.change < 0 ? '−' : '') + ranks(Math.abs(row.change)),
          tip: 'Above 0 is a loss of ranks',
        },
        { id: 'chart', label: '', head: () => axis(1, Math.max(2, last), width), show: graphic },
      ],
    }),
  ];
}

function covered(found) {
  if (!found.coverage.length) return [];
  return [
    el('h3', null, 'Do ranges hold what they promise?'),
    sortable({
      id: 'coverage-table',
      label: 'Coverage of ranges',
      word: 'range',
      rows: found.coverage,
      sort: { id: 'holes', down: false },
      columns: [
        { id: 'holes', label: 'Unjudged documents', text: true, get: (row) => row.holes },
        { id: 'of', label: 'Range of', text: true, get: (row) => row.of },
        {
          id: 'pairs',
          label: 'Number',
          get: (row) => row.pairs,
          show: (row) => whole(row.pairs),
          tip: 'Topics, or runs, that lost a judgment: of the others there is nothing to estimate',
        },
        { id: 'nominal', label: 'Promised', get: (row) => row.nominal, show: (row) => percent(row.nominal) },
        {
          id: 'inside',
          label: 'Inside',
          get: (row) => row.inside,
          show: (row) => percent(row.inside),
          tip: 'How often the truth is inside the range',
        },
        { id: 'below', label: 'Truth below', get: (row) => row.below, show: (row) => percent(row.below) },
        { id: 'above', label: 'Truth above', get: (row) => row.above, show: (row) => percent(row.above) },
        { id: 'width', label: 'Width', get: (row) => row.width, show: (row) => number(row.width, 3) },
      ],
    }),
  ];
}
