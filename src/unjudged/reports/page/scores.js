// ---- what are the scores, and how sure are they?

const chartWidth = 300;

function showScores() {
  const { measure, holes } = state;
  const rows = scoreRows(measure, holes);
  const [low, high] = limits(rows);
  return [
    lead(data.measures[measure].lead),
    note(
      `${data.measures[measure].name}: ${data.measures[measure].about}. ${data.holes[holes].name}: ${data.holes[holes].about}. Another measure or hole model can be chosen at the top.`,
    ),
    scoreLegend(),
    sortable({
      id: 'score-table',
      label: `Scores by ${data.measures[measure].name}`,
      rows,
      sort: { id: 'value', down: true },
      columns: [
        runColumn(),
        ...groupColumn(),
        ...(holes
          ? [
              {
                id: 'first',
                label: data.holes[0].name,
                get: (row) => row.first,
                show: (row) => score(row.first),
                tip: data.holes[0].about,
              },
            ]
          : []),
        {
          id: 'value',
          label: data.holes[holes].name,
          get: (row) => row.value,
          show: (row) => score(row.value),
          tip: `${data.holes[holes].about}. Mean ${data.measures[measure].name} over ${counted(data.topics.length, 'topic')}`,
        },
        {
          id: 'low',
          label: 'Low',
          get: (row) => row.low,
          show: (row) => score(row.low),
          tip: 'Lower end of what this hole model thinks possible or likely; a dash where it does not say',
        },
        {
          id: 'high',
          label: 'High',
          get: (row) => row.high,
          show: (row) => score(row.high),
          tip: 'Upper end of the same range',
        },
        {
          id: 'judged',
          label: 'Judged',
          low: true,
          get: (row) => row.judged,
          show: (row) => percent(row.judged),
          tip: 'Share of the documents that the measure looks at that were judged',
        },
        { id: 'chart', label: '', head: () => axis(low, high, chartWidth), show: (row) => interval(row, low, high) },
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
  return [Math.min(0, ...values), Math.max(...values, Math.min(0, ...values) + 1e-9)];
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
    known(row.lowest)
      ? [
          svg('line', { class: 'wide', x1: at(row.lowest), x2: at(row.highest), y1: 9, y2: 9 }),
          ...[row.lowest, row.highest].map((end) =>
            svg('line', { class: 'end', x1: at(end), x2: at(end), y1: 5, y2: 13 }),
          ),
        ]
      : null,
    known(row.low) ? svg('line', { class: 'range', x1: at(row.low), x2: at(row.high), y1: 9, y2: 9 }) : null,
    known(row.first) ? svg('circle', { class: 'ring', cx: at(row.first), cy: 9, r: 3.5 }) : null,
    known(row.value) ? svg('circle', { class: 'dot', cx: at(row.value), cy: 9, r: 4 }) : null,
  );
}

function scoreLegend() {
  const sign = (...parts) => svg('svg', { width: 34, height: 14, 'aria-hidden': 'true' }, parts);
  const model = data.holes[state.holes].name;
  const ranged = data.scores.low[state.holes][state.measure] !== null;
  return el(
    'div',
    { class: 'legend' },
    el('span', null, sign(svg('circle', { class: 'dot', cx: 17, cy: 7, r: 4 })), name(model)),
    ranged ? el('span', null, sign(svg('line', { class: 'range', x1: 2, x2: 32, y1: 7, y2: 7 })), 'its range') : null,
    state.holes
      ? el('span', null, sign(svg('circle', { class: 'ring', cx: 17, cy: 7, r: 3.5 })), name(data.holes[0].name))
      : null,
    el(
      'span',
      null,
      sign(
        svg('line', { class: 'wide', x1: 2, x2: 32, y1: 7, y2: 7 }),
        svg('line', { class: 'end', x1: 2, x2: 2, y1: 3, y2: 11 }),
        svg('line', { class: 'end', x1: 32, x2: 32, y1: 3, y2: 11 }),
      ),
      'widest range of all hole models',
    ),
  );
}
