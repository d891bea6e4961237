// ---- what are the scores, and how sure are they?

// As wide as the screen leaves room for beside the names.
const chartWidth = innerWidth < 640 ? 130 : innerWidth < 1150 ? 190 : 300;

function showScores() {
  const { measure, holes } = state;
  const rows = scoreRows(measure, holes);
  const [low, high] = limits(rows);
  return [
    lead(data.measures[measure].lead),
    note(
      `${data.measures[measure].name}: ${data.measures[measure].about}. ${data.holes[holes].spec}: ${data.holes[holes].about}. Another measure or hole model can be chosen at the top.`,
    ),
    scoreLegend(),
    sortable({
      id: 'score-table',
      label: `Scores by ${data.measures[measure].name}`,
      rows,
      sort: 'value',
      ahead: { label: 'Runs with holes first', of: (row) => known(row.judged) && row.judged < 1 },
      columns: [
        runColumn(),
        chartColumn(low, high, chartWidth, (row) => interval(row, low, high)),
        numberColumn('value', data.holes[holes].name, score, {
          tip: `${data.holes[holes].spec}: ${data.holes[holes].about}. Mean ${data.measures[measure].name} over ${counted(data.topics.length, 'topic')}`,
        }),
        numberColumn('low', 'Low', score, {
          tip: 'Lower end of what this hole model thinks possible or likely; a dash where it does not say',
        }),
        numberColumn('high', 'High', score, { tip: 'Upper end of the same range' }),
        holes ? numberColumn('first', data.holes[0].name, score, { tip: data.holes[0].about }) : [],
        numberColumn('judged', 'Judged', percent, {
          low: true,
          tip: 'Share of the documents that the measure looks at that were judged',
        }),
        groupColumn(),
      ],
    }),
  ];
}

// The chosen hole model's scores, those of the first one, and the widest range that any model gives.
function scoreRows(measure, holes) {
  const { value, low, high, judged } = data.scores;
  const at = (table, model, run) => (table[model][measure] ? table[model][measure][run] : null);
  return data.runs.map((_, run) => {
    const lows = data.holes.map((_unused, model) => at(low, model, run)).filter(known);
    const highs = data.holes.map((_unused, model) => at(high, model, run)).filter(known);
    return {
      run,
      value: at(value, holes, run),
      low: at(low, holes, run),
      high: at(high, holes, run),
      first: at(value, 0, run),
      lowest: lows.length ? Math.min(...lows) : null,
      highest: highs.length ? Math.max(...highs) : null,
      judged: judged[measure] ? judged[measure][run] : null,
    };
  });
}

function limits(rows) {
  const values = rows.flatMap((row) => [row.value, row.first, row.lowest, row.highest]).filter(known);
  if (!values.length) return [0, 1];
  // Points need no zero: where runs differ is what the picture is for.
  const [low, high] = extent(values, Infinity, -Infinity);
  const margin = (high - low || 1) / 50;
  return [low - margin, high + margin];
}

function interval(row, low, high) {
  const at = scale(low, high, chartWidth);
  const told =
    `${data.runs[row.run]}\n${data.holes[state.holes].name}: ${score(row.value)}` +
    (known(row.low) ? ` (${range(row.low, row.high, score)})` : '') +
    `\n${data.holes[0].name}: ${score(row.first)}` +
    (known(row.lowest) ? `\nwidest range: ${range(row.lowest, row.highest, score)}` : '');
  return svg(
    'svg',
    { width: chartWidth, height: 18, role: 'img', 'aria-label': told, 'data-tip': told },
    svg('rect', { width: chartWidth, height: 18, fill: 'transparent' }),
    known(row.lowest) ? ends(at(row.lowest), at(row.highest), 9) : null,
    known(row.low) ? across('range', at(row.low), at(row.high), 9) : null,
    known(row.first) ? circle('ring', at(row.first), 9, 3.5) : null,
    known(row.value) ? circle('dot', at(row.value), 9, 4) : null,
  );
}

// A line with a stroke at both ends.
const ends = (x1, x2, y) => [across('wide', x1, x2, y), ...[x1, x2].map((x) => upright('end', x, y - 4, y + 4))];

function scoreLegend() {
  const sign = (...parts) => picture(34, 14, parts);
  const model = data.holes[state.holes].name;
  const ranged = data.scores.low[state.holes][state.measure] !== null;
  return el(
    'div',
    { class: 'legend' },
    el('span', null, sign(circle('dot', 17, 7, 4)), name(model)),
    ranged ? el('span', null, sign(across('range', 2, 32, 7)), 'its range') : null,
    state.holes ? el('span', null, sign(circle('ring', 17, 7, 3.5)), name(data.holes[0].name)) : null,
    el('span', null, sign(ends(2, 32, 7)), 'widest range of all hole models'),
  );
}
