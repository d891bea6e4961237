// ---- would another corpus change this?

const ruleTips = {
  outside: "each mean over images is outside of the other's 95% interval",
  disjoint: 'the 95% intervals have nothing in common',
  difference: 'the 95% interval of the difference, image by image, does not hold 0',
  scaled: 'as outside, with intervals so many times as wide that 95% of such pairs are significant',
};

function showCorpus() {
  const found = data.corpus;
  if (found.skipped) return [lead(found.lead)];
  const measure = data.measures[state.measure].name;
  const runs = found.runs[measure];
  return [
    lead(found.lead),
    note(
      `${whole(found.images)} other corpora (images) were drawn from the ${whole(found.corpus_size)} documents of this one, with replacement. ` +
        'Unjudged documents count as not relevant. What would move with the topics is not in these numbers.',
    ),
    remarks(found),
    el('h3', null, 'How precisely each measure measures'),
    precisionTable(found),
    ...(runs
      ? [
          el('h3', null, 'Scores and ranks on other corpora'),
          imagesTable(measure, rowsOf(runs)),
          el('h3', null, 'Do these intervals say what a test says?'),
          note(
            `Pairs of runs that are apart by their intervals over images, and how many of them differ significantly (${tested(found)}; the last column after the correction).`,
          ),
          rulesTable(
            found.tests.filter((row) => row.measure === measure),
            found,
          ),
        ]
      : [note(`${measure} cannot be scored on other corpora, or is no mean over topics.`)]),
  ];
}

function precisionTable(found) {
  return sortable({
    id: 'precision-table',
    label: 'Precision of measures',
    word: 'measure',
    rows: found.precision,
    sort: { id: 'moves', down: false },
    columns: [
      { id: 'measure', label: 'Measure', text: true, get: (row) => row.measure },
      {
        id: 'moves',
        label: 'Difference moves',
        low: true,
        get: (row) => row.difference_sd,
        show: (row) => `${number(row.difference_sd)} ± ${number(row.difference_spread)}`,
        tip: 'Standard deviation over images of the difference of two runs on a topic: mean ± standard deviation over pairs and topics',
      },
      {
        id: 'size',
        label: 'Its size',
        get: (row) => row.difference,
        show: (row) => number(row.difference),
        tip: 'Mean size of the difference of two runs on a topic, on the corpus itself',
      },
      {
        id: 'ratio',
        label: 'Size / moves',
        get: (row) => (known(row.difference) && row.difference_sd ? row.difference / row.difference_sd : null),
        show: (row) => (known(row.difference) && row.difference_sd ? number(row.difference / row.difference_sd, 2) : dash),
        tip: 'How well the measure tells two runs on a topic apart',
      },
      {
        id: 'mean',
        label: 'Mean moves',
        low: true,
        get: (row) => row.mean_sd,
        show: (row) => number(row.mean_sd),
        tip: 'Standard deviation over images of the mean over topics, on average over runs',
      },
      {
        id: 'ranks',
        label: 'Ranks move',
        low: true,
        get: (row) => row.quartiles_apart,
        show: (row) => number(row.quartiles_apart, 1),
        tip: "How far the quartiles of a run's ranks are apart, on average over runs",
      },
    ],
  });
}

const between = (low, high) => (low === high ? ranks(low) : range(low, high, ranks));

// The means of each run on images, and the ranks that it has.
function imagesTable(measure, rows) {
  const [width, last] = [140, data.runs.length];
  const [low, high] = extent(
    rows.flatMap((row) => [row.low, row.high, row.mean]).filter(known),
    Infinity,
    -Infinity,
  );
  const at = scale(low, high, width);
  const rank = scale(1, Math.max(2, last), width);
  const means = (row) =>
    svg(
      'svg',
      { width, height: 14, 'aria-hidden': 'true' },
      known(row.low) ? svg('line', { class: 'range', x1: at(row.low), x2: at(row.high), y1: 7, y2: 7 }) : null,
      known(row.mean) ? svg('circle', { class: 'dot', cx: at(row.mean), cy: 7, r: 3.5 }) : null,
    );
  const ranked = (row) =>
    svg(
      'svg',
      { width, height: 14, 'aria-hidden': 'true' },
      svg('line', { class: 'wide', x1: rank(row.best), x2: rank(row.worst), y1: 7, y2: 7 }),
      svg('line', { class: 'range', x1: rank(row.lower) - 1, x2: rank(row.upper) + 1, y1: 7, y2: 7 }),
      svg('circle', { class: 'dot', cx: rank(row.rank), cy: 7, r: 3.5 }),
    );
  return sortable({
    id: 'images-table',
    label: `${measure} on other corpora`,
    rows,
    sort: { id: 'mean', down: true },
    columns: [
      runColumn(),
      { id: 'mean', label: measure, get: (row) => row.mean, show: (row) => number(row.mean), tip: 'On the corpus itself' },
      {
        id: 'low',
        label: '95% of images',
        get: (row) => row.low,
        show: (row) => range(row.low, row.high),
        tip: 'Means over topics on other corpora',
      },
      { id: 'means', label: '', head: () => axis(low, high, width), show: means },
      {
        id: 'topic',
        label: 'On a topic',
        low: true,
        get: (row) => row.score_sd,
        show: (row) => number(row.score_sd),
        tip: 'Standard deviation over images of the score on a topic, on average over topics',
      },
      { id: 'rank', label: 'Rank', low: true, get: (row) => row.rank, show: (row) => ranks(row.rank) },
      {
        id: 'half',
        label: 'Half of ranks',
        low: true,
        get: (row) => row.lower,
        show: (row) => between(row.lower, row.upper),
        tip: 'Quartiles of its ranks on images',
      },
      {
        id: 'all',
        label: 'All ranks',
        low: true,
        get: (row) => row.worst,
        show: (row) => between(row.best, row.worst),
        tip: 'Best and worst rank on images',
      },
      { id: 'chart', label: '', head: () => axis(1, Math.max(2, last), width), show: ranked },
    ],
  });
}

function rulesTable(rows, found) {
  const share = (part, of) => (of ? part / of : null);
  return sortable({
    id: 'rules-table',
    label: 'Intervals over images against a test',
    word: 'rule',
    rows,
    sort: { id: 'apart', down: true },
    columns: [
      {
        id: 'rule',
        label: 'Pairs are apart if',
        left: true,
        words: true,
        show: (row) => ruleTips[row.rule] + (row.rule === 'scaled' ? ` (${number(row.factor, 2)})` : ''),
      },
      {
        id: 'apart',
        label: 'Pairs',
        get: (row) => row.apart,
        show: (row) => `${whole(row.apart)} of ${whole(row.pairs)}`,
      },
      {
        id: 'significant',
        label: 'Significant',
        get: (row) => share(row.both, row.apart),
        show: (row) => percent(share(row.both, row.apart)),
        tip: 'Share of these pairs with p below 0.05, before a correction',
      },
      {
        id: 'all',
        label: 'Of all',
        get: (row) => share(row.both, row.significant),
        show: (row) => percent(share(row.both, row.significant)),
        tip: 'Share of all significant pairs that are apart',
      },
      {
        id: 'corrected',
        label: sentenceCase(found.correction),
        get: (row) => share(row.both_corrected, row.apart),
        show: (row) => percent(share(row.both_corrected, row.apart)),
        tip: 'Share of these pairs that are significant after the correction',
      },
    ],
  });
}
