// ---- who adds something new?

function showAdded() {
  const found = data.added[state.measure];
  if (found.skipped) return [lead(found.lead)];
  const rows = rowsOf(found.rows);
  return [
    lead(found.lead),
    note(
      `${found.measure} is ${found.absolute} for somebody who has read other runs before: what they showed already brings no gain. ` +
        `The others are ${found.priors}. Lines reach to what a run could add were its unjudged documents relevant.`,
    ),
    remarks(found),
    el('div', { class: 'frame' }, cloud(rows, found)),
    sortable({
      id: 'added-table',
      label: 'What runs add',
      rows,
      sort: 'nrg',
      columns: [
        runColumn(),
        groupColumn(),
        numberColumn('nrg', 'Adds (NRG)', number, { tip: 'Normalized residual gain' }),
        {
          id: 'could',
          label: 'Could add',
          get: (row) => row.high,
          show: (row) => (row.low === row.high ? dash : range(row.low, row.high)),
          tip: `By the grades that its own unjudged documents could get (${rows[0].holes})`,
        },
        numberColumn('absolute', found.absolute, number, { tip: 'The score by itself' }),
        numberColumn('unique', 'Unique', (count) => number(count, 2), {
          tip: `Documents per topic of grade ${found.rel} or higher that no other run has in its first ${found.pool_depth}`,
        }),
        numberColumn('judged', 'Judged', percent, { low: true }),
      ],
    }),
    found.groups.length ? groupTable(found) : null,
  ];
}

function groupTable(found) {
  return [
    el('h3', null, 'Groups'),
    sortable({
      id: 'group-table',
      label: 'Groups',
      word: 'group',
      rows: found.groups,
      sort: 'unique',
      columns: [
        textColumn('group', 'Group'),
        numberColumn('runs', 'Runs', String),
        textColumn('best', 'Best run'),
        numberColumn('unique', 'Found by no other group', whole, {
          tip: `Documents of grade ${found.rel} or higher in the first ${found.pool_depth}, all topics together`,
        }),
      ],
    }),
  ];
}

// Absolute scores to the right, what is added upwards.
function cloud(rows, found) {
  const width = Math.min(760, roomAcross());
  const [height, left, bottom, margin] = [330, 46, 36, width < 760 ? 12 : 120];
  const right = Math.max(...rows.map((row) => row.absolute), 1e-9) * 1.05;
  const top = Math.max(...rows.map((row) => row.high ?? row.nrg), 1e-9) * 1.05;
  const x = (value) => left + scale(0, right, width - left - margin)(value);
  const y = (value) => height - bottom - scale(0, top, height - bottom - 10)(value);
  const words = (row) =>
    `${data.runs[row.run]}\n${found.absolute} ${number(row.absolute)}\nadds ${number(row.nrg)}${known(row.low) ? `, could be ${range(row.low, row.high)}` : ''}`;
  const points = rows.map((row) =>
    svg(
      'g',
      { 'data-tip': words(row) },
      known(row.low) ? upright('wide', x(row.absolute), y(row.low), y(row.high)) : null,
      circle('dot', x(row.absolute), y(row.nrg), 4.5),
    ),
  );
  return svg(
    'svg',
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `What runs add against their ${found.absolute}; the table below has the numbers`,
    },
    ticks(0, top).map((value) => [
      across('axis', left, width - margin, y(value)),
      textAt(left - 6, y(value) + 4, 'end', value),
    ]),
    ticks(0, right).map((value) => textAt(x(value), height - bottom + 16, 'middle', value)),
    textAt(width - margin, height - 4, 'end', `${found.absolute} →`),
    svg('text', { x: 0, y: 10 }, '↑ adds'),
    points,
    labels(rows, x, y, width),
  );
}

// Names of the runs that add most and of the best ones, as far as they do not lie on each other; to the left of their
// points where there is no room to the right.
function labels(rows, x, y, width) {
  const byGain = [...rows].sort((a, b) => b.nrg - a.nrg).slice(0, 6);
  const byScore = [...rows].sort((a, b) => b.absolute - a.absolute).slice(0, 4);
  const taken = [];
  return [...new Set([...byGain, ...byScore])].flatMap((row) => {
    const text = shortName(data.runs[row.run], 18);
    const long = 6.6 * text.length;
    const right = x(row.absolute) + 8;
    const start = right + long > width ? right - 16 - long : right;
    const box = [start, y(row.nrg) - 8, start + long, y(row.nrg) + 6];
    if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]))
      return [];
    taken.push(box);
    return [svg('text', { class: 'name', x: start, y: y(row.nrg) + 4 }, text)];
  });
}
