// ---- is it so on every segment of the topics?

function showSegments() {
  const found = data.segments[state.measure];
  if (found.skipped) return [lead(found.lead)];
  const pairs = rowsOf(found.pairs);
  return [
    lead(found.lead),
    note(
      `A segment is looked at as if its topics were all there is. P-values (${found.test} test) are corrected for all ` +
        `${whole(found.comparisons)} comparisons of two runs on a segment together; verdicts are about the holes on its topics.`,
    ),
    remarks(found),
    el('h3', null, 'Means of each segment'),
    segmentTable(found, rowsOf(found.rows)),
    pairs.length
      ? [
          el('h3', null, 'Differences from ', name(data.runs[found.best])),
          note('Which has the highest mean on the whole. Other pairs: unjudged compare --segments.'),
          segmentPairTable(found, pairs),
        ]
      : null,
  ];
}

const segmentColumn = (found) =>
  textColumn('segment', 'Segment', { get: (row) => found.names[row.segment] });

const topicsColumn = () => numberColumn('topics', 'Topics', whole);

const intervalColumn = (found, show) => ({
  id: 'interval',
  label: '95% interval',
  get: (row) => row.low,
  show: (row) => range(row.low, row.high, show),
  tip: `Over the topics of the segment (${found.interval_method})`,
});

function segmentTable(found, rows) {
  const width = innerWidth < 640 ? 120 : 180;
  const [low, high] = extent(rows.flatMap((row) => [row.low, row.high, row.mean, row.expected]).filter(known), Infinity, -Infinity);
  const at = scale(low, high, width);
  const graphic = (row) =>
    picture(
      width,
      14,
      known(row.low) ? across('range', at(row.low), at(row.high), 7) : null,
      circle('dot', at(row.mean), 7, 3.5),
    );
  return sortable({
    id: 'segment-table',
    label: `${found.measure} by segment`,
    word: 'row',
    rows,
    sort: 'segment',
    columns: [
      segmentColumn(found),
      runColumn(),
      chartColumn(low, high, width, graphic),
      topicsColumn(),
      numberColumn('mean', found.measure, number, { tip: 'Unjudged documents not relevant' }),
      intervalColumn(found, number),
      numberColumn('expected', 'Expected', number, { tip: 'Mean over draws of grades for the holes' }),
      numberColumn('judged', 'Judged', percent, { low: true, tip: `Of the documents that ${found.measure} looks at` }),
      numberColumn('rank', 'Rank', ranks, { low: true, tip: 'On this segment' }),
    ],
  });
}

function segmentPairTable(found, pairs) {
  const mine = pairs.map((pair) => (pair.run === found.best ? turned(pair) : pair));
  return sortable({
    id: 'segment-pair-table',
    label: `Differences from ${data.runs[found.best]} by segment`,
    word: 'row',
    rows: mine,
    sort: 'run',
    columns: [
      runColumn('run', 'A: run'),
      segmentColumn(found),
      topicsColumn(),
      numberColumn('difference', 'A − best', signed, {
        low: true,
        tip: `Difference of mean ${found.measure}, unjudged documents not relevant`,
      }),
      intervalColumn(found, signed),
      numberColumn('corrected_p', 'p', probability, { low: true, tip: 'Corrected for all comparisons on segments' }),
      hasHoles(mine)
        ? numberColumn('corrected_p_holes', 'p, holes', probability, {
            low: true,
            tip: 'A paired t test on drawn grades of the unjudged documents, corrected as well',
          })
        : [],
      mine.some((row) => row.verdict)
        ? [
            numberColumn('p_greater', 'P(A>B)', (share) => number(share, 2), {
              tip: 'Share of draws of grades in which the run is better than the best one',
            }),
            textColumn('verdict', 'Verdict', {
              show: (row) => el('span', { 'data-tip': verdictTips[row.verdict] }, row.verdict),
            }),
          ]
        : [],
    ],
  });
}
