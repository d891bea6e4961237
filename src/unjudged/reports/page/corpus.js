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
  const ratio = (row) => (known(row.difference) && row.difference_sd ? row.difference / row.difference_sd : null);
  return sortable({
    id: 'precision-table',
    label: 'Precision of measures',
    word: 'measure',
    rows: found.precision.map((row) => ({ ...row, ratio: ratio(row) })),
    sort: 'difference_sd',
    columns: [
      textColumn('measure', 'Measure'),
      {
        ...numberColumn('difference_sd', 'Difference moves', number, { low: true }),
        show: (row) => `${number(row.difference_sd)} ± ${number(row.difference_spread)}`,
        tip: 'Standard deviation over images of the difference of two runs on a topic: mean ± standard deviation over pairs and topics',
      },
      numberColumn('difference', 'Its size', number, {
        tip: 'Mean size of the difference of two runs on a topic, on the corpus itself',
      }),
      numberColumn('ratio', 'Size / moves', (value) => number(value, 2), {
        tip: 'How well the measure tells two runs on a topic apart',
      }),
      numberColumn('mean_sd', 'Mean moves', number, {
        low: true,
        tip: 'Standard deviation over images of the mean over topics, on average over runs',
      }),
      numberColumn('quartiles_apart', 'Ranks move', (value) => number(value, 1), {
        low: true,
        tip: "How far the quartiles of a run's ranks are apart, on average over runs",
      }),
    ],
  });
}

const between = (low, high) => (low === high ? ranks(low) : range(low, high, ranks));

// The means of each run on images, and the ranks that it has.
function imagesTable(measure, rows) {
  const [width, last] = [140, Math.max(2, data.runs.length)];
  const values = rows.flatMap((row) => [row.low, row.high, row.mean]).filter(known);
  const [low, high] = extent(values, Infinity, -Infinity);
  const at = scale(low, high, width);
  const rank = scale(1, last, width);
  const means = (row) =>
    picture(
      width,
      14,
      known(row.low) ? across('range', at(row.low), at(row.high), 7) : null,
      known(row.mean) ? circle('dot', at(row.mean), 7, 3.5) : null,
    );
  const ranked = (row) =>
    picture(
      width,
      14,
      across('wide', rank(row.best), rank(row.worst), 7),
      across('range', rank(row.lower) - 1, rank(row.upper) + 1, 7),
      circle('dot', rank(row.rank), 7, 3.5),
    );
  return sortable({
    id: 'images-table',
    label: `${measure} on other corpora`,
    rows,
    sort: 'mean',
    columns: [
      runColumn(),
      numberColumn('mean', measure, number, { tip: 'On the corpus itself' }),
      {
        ...numberColumn('low', '95% of images', number),
        show: (row) => range(row.low, row.high),
        tip: 'Means over topics on other corpora',
      },
      { ...chartColumn(low, high, width, means), id: 'means' },
      numberColumn('score_sd', 'On a topic', number, {
        low: true,
        tip: 'Standard deviation over images of the score on a topic, on average over topics',
      }),
      numberColumn('rank', 'Rank', ranks, { low: true }),
      {
        ...numberColumn('lower', 'Half of ranks', ranks, { low: true }),
        show: (row) => between(row.lower, row.upper),
        tip: 'Quartiles of its ranks on images',
      },
      {
        ...numberColumn('worst', 'All ranks', ranks, { low: true }),
        show: (row) => between(row.best, row.worst),
        tip: 'Best and worst rank on images',
      },
      chartColumn(1, last, width, ranked),
    ],
  });
}

function rulesTable(rows, found) {
  const share = (part, of) => (of ? part / of : null);
  return sortable({
    id: 'rules-table',
    label: 'Intervals over images against a test',
    word: 'rule',
    rows: rows.map((row) => ({
      ...row,
      of_apart: share(row.both, row.apart),
      of_all: share(row.both, row.significant),
      of_corrected: share(row.both_corrected, row.apart),
    })),
    sort: 'apart',
    columns: [
      {
        id: 'rule',
        label: 'Pairs are apart if',
        left: true,
        words: true,
        show: (row) => ruleTips[row.rule] + (row.rule === 'scaled' ? ` (${number(row.factor, 2)})` : ''),
      },
      {
        ...numberColumn('apart', 'Pairs', whole),
        show: (row) => `${whole(row.apart)} of ${whole(row.pairs)}`,
      },
      numberColumn('of_apart', 'Significant', percent, {
        tip: `Share of these pairs with p below ${data.significant}, before a correction`,
      }),
      numberColumn('of_all', 'Of all', percent, { tip: 'Share of all significant pairs that are apart' }),
      numberColumn('of_corrected', sentenceCase(found.correction), percent, {
        tip: 'Share of these pairs that are significant after the correction',
      }),
    ],
  });
}
