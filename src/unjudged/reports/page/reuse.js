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
    leftOut(found),
    covered(found),
  ];
}

function methodTable(found) {
  return sortable({
    id: 'method-table',
    label: 'Methods',
    word: 'method',
    rows: found.methods,
    sort: 'rank_error',
    columns: [
      textColumn('holes', 'Unjudged documents'),
      numberColumn('rank_error', 'Ranks wrong', (error) => number(error, 2), {
        low: true,
        tip: 'By how many ranks a run is wrong whose own documents were not judged, on average',
      }),
      numberColumn('loss', '95% lose', ranks, { low: true, tip: 'Ranks that 95% of such runs lose at most' }),
      numberColumn('tau_b', 'tau-b', (tau) => number(tau, 3), {
        tip: 'Agreement of the order of runs with the true one',
      }),
      numberColumn('rmse', 'RMSE', number, { low: true, tip: 'Typical error of a score' }),
      numberColumn('tried', 'Runs', whole, { tip: 'Left-out runs that had holes: these numbers are about them' }),
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
  if (!rows.length) return null;
  const [width, last] = [innerWidth < 1150 ? 110 : 180, data.runs.length];
  const at = scale(1, Math.max(2, last), width);
  const graphic = (row) =>
    picture(
      width,
      14,
      across(row.change > 0 ? 'loss' : 'move', at(row.true_rank), at(row.rank), 7),
      circle('ring', at(row.true_rank), 7, 3.5),
      circle('dot', at(row.rank), 7, 3.5),
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
      sort: 'change',
      columns: [
        runColumn(),
        chartColumn(1, Math.max(2, last), width, graphic),
        numberColumn('true_score', 'Truth', number),
        numberColumn('estimate', 'Estimate', number),
        numberColumn('true_rank', 'Rank', ranks, { low: true }),
        numberColumn('rank', 'Becomes', ranks, { low: true }),
        numberColumn('lost', 'Holes tried', percent, {
          tip: 'Share of the run’s first documents whose judgment was taken away; runs without any do not count above',
        }),
        numberColumn('never_judged', 'Never judged', percent, {
          tip: 'Share of the run’s first documents that nobody ever judged, and that were taken out before. Above half, the run does not count above',
        }),
        numberColumn('change', 'Change', (change) => plusOrMinus(change) + ranks(Math.abs(change)), {
          tip: 'Above 0 is a loss of ranks',
        }),
        textColumn('left_out', 'Left out with'),
      ],
    }),
  ];
}

function covered(found) {
  if (!found.coverage.length) return null;
  return [
    el('h3', null, 'Do ranges hold what they promise?'),
    sortable({
      id: 'coverage-table',
      label: 'Coverage of ranges',
      word: 'range',
      rows: found.coverage,
      sort: 'holes',
      columns: [
        textColumn('holes', 'Unjudged documents'),
        textColumn('of', 'Range of'),
        numberColumn('pairs', 'Number', whole, {
          tip: 'Topics, or runs, that lost a judgment: of the others there is nothing to estimate',
        }),
        numberColumn('nominal', 'Promised', percent),
        numberColumn('inside', 'Inside', percent, { tip: 'How often the truth is inside the range' }),
        numberColumn('below', 'Truth below', percent),
        numberColumn('above', 'Truth above', percent),
        numberColumn('width', 'Width', (width) => number(width, 3)),
      ],
    }),
  ];
}
