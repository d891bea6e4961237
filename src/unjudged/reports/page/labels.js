// ---- can the labels be trusted?

function showLabels() {
  const found = data.labels;
  if (found.skipped) return [lead(found.lead)];
  return [
    lead(found.lead),
    note(found.rule),
    remarks(found),
    judgeTable(found),
    orderTable(found),
    favouredGroups(found),
    confusionTable(found),
  ];
}

function judgeTable(found) {
  return [
    el('h3', null, 'Agreement with people'),
    sortable({
      id: 'judge-table',
      label: 'Agreement with people',
      word: 'judge',
      rows: found.judges,
      sort: 'weighted_kappa',
      columns: [
        textColumn('judge', 'Judge'),
        textColumn('verdict', 'Verdict'),
        numberColumn('coverage', 'Covered', percent, { tip: 'Share of the judgments that has a label' }),
        numberColumn('exact', 'Same', percent, { tip: 'Share of these with the same grade' }),
        numberColumn('within_one', 'Within 1', percent),
        numberColumn('kappa', 'Kappa', (one) => number(one, 3), { tip: "Cohen's kappa: 0 for chance, 1 for the same grades" }),
        numberColumn('weighted_kappa', 'Weighted', (one) => number(one, 3), { tip: 'Kappa weighted by squared distance' }),
        numberColumn('alpha_ordinal', 'Alpha', (one) => number(one, 3), { tip: "Krippendorff's alpha, ordinal" }),
        numberColumn('bias', 'Bias', signed, { tip: 'Mean of label less grade' }),
      ],
    }),
  ];
}

function orderTable(found) {
  if (!found.ordered) return null;
  return [
    el('h3', null, 'Orders of runs by labels alone'),
    sortable({
      id: 'judge-order-table',
      label: 'Orders of runs by labels alone',
      word: 'judge',
      rows: found.judges,
      sort: 'tau_b',
      columns: [
        textColumn('judge', 'Judge'),
        numberColumn('tau_b', 'tau-b', (one) => number(one, 3)),
        numberColumn('tau_ap', 'tau AP', (one) => number(one, 3)),
        numberColumn('top', `Top ${found.judges[0].depth}`, percent, { tip: 'Share of the best runs that are the same' }),
        numberColumn('score_bias', 'Bias', signed, { tip: `Mean ${found.measure} by labels less that by judgments` }),
        numberColumn('false', 'False pairs', whole, { tip: `Pairs that are significant by labels only (${found.test})` }),
        numberColumn('missed', 'Missed pairs', whole, { tip: `Pairs that are significant by judgments only (${found.test})` }),
        numberColumn('run_pairs', 'Pairs', whole),
        numberColumn('favoured', 'Favoured', whole, { tip: 'Groups, or runs, that labels favour' }),
      ],
    }),
  ];
}

function favouredGroups(found) {
  if (!found.groups.length) return null;
  return [
    el('h3', null, 'Whom labels favour'),
    sortable({
      id: 'favour-table',
      label: 'Whom labels favour',
      word: 'group',
      rows: found.groups,
      sort: 'corrected_p',
      columns: [
        textColumn('judge', 'Judge'),
        textColumn('group', 'Group'),
        numberColumn('runs', 'Runs', whole),
        numberColumn('favour', 'Favour', signed, { tip: 'Score by labels above that of others with its score by judgments' }),
        numberColumn('corrected_p', 'p', probability, { low: true, tip: 'Corrected for the number of groups' }),
      ],
    }),
  ];
}

function confusionTable(found) {
  return [
    el('h3', null, 'What people said where a judge gave a label'),
    sortable({
      id: 'confusion-table',
      label: 'Labels and grades',
      word: 'combination',
      rows: found.confusion,
      sort: 'judge',
      columns: [
        textColumn('judge', 'Judge'),
        numberColumn('label', 'Label', String),
        numberColumn('grade', 'Grade', String),
        numberColumn('pairs', 'Pairs', whole),
        numberColumn('share', 'Share of the label', percent),
      ],
    }),
  ];
}
