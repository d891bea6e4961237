// ---- what happened on each topic? A table of topics, and the rankings of the one that was chosen.

const topicWidth = innerWidth < 640 ? 120 : innerWidth < 1150 ? 140 : 220;

function topicScore(part, topic, run) {
  const table = data.scores.topics[part];
  const column = part === 'judged' ? table[state.measure] : table[state.holes][state.measure];
  return column ? column[run * data.topics.length + topic] : null;
}

function topicRows() {
  return data.topics.map((_, topic) => {
    const values = data.runs.map((_unused, run) => topicScore('value', topic, run));
    const defined = values.filter(known);
    const shares = data.runs.map((_unused, run) => topicScore('judged', topic, run)).filter(known);
    const highest = defined.length ? Math.max(...defined) : null;
    const mean = (list) => (list.length ? list.reduce((sum, one) => sum + one, 0) / list.length : null);
    return {
      topic,
      values: defined,
      mean: mean(defined),
      highest,
      best: values.indexOf(highest),
      judged: mean(shares),
    };
  });
}

function showTopics() {
  const rows = topicRows();
  const [low, high] = extent(
    rows.flatMap((row) => row.values),
    0,
    1e-9,
  );
  const by = data.measures[state.measure].name;
  const hardest = rows.filter((row) => known(row.mean)).sort((a, b) => a.mean - b.mean)[0];
  const easy = rows.filter((row) => known(row.mean)).sort((a, b) => b.mean - a.mean)[0];
  return [
    lead(
      hardest
        ? `Runs do worst on topic ${data.topics[hardest.topic]} (mean ${by} ${score(hardest.mean)}) and best on topic ${data.topics[easy.topic]} (${score(easy.mean)}).`
        : `${by} is undefined for every topic.`,
    ),
    note(
      `Choose a topic to see what each run returned for it. Each tick is one run, with ${data.holes[state.holes].name} for unjudged documents.`,
    ),
    sortable({
      id: 'topic-table',
      label: 'Topics',
      word: 'topic',
      rows,
      sort: 'topic',
      columns: [
        { id: 'topic', label: 'Topic', text: true, get: (row) => data.topics[row.topic], show: topicButton },
        data.titles.some((title) => title)
          ? { id: 'title', label: 'Title', text: true, words: true, get: (row) => data.titles[row.topic] }
          : [],
        chartColumn(low, high, topicWidth, (row) => strip(row.values, low, high)),
        numberColumn('mean', `Mean ${by}`, score, { tip: 'Mean over all runs, with the hole model above' }),
        numberColumn('highest', 'Best', score),
        { id: 'best', label: 'Best run', text: true, get: (row) => (row.best < 0 ? '' : data.runs[row.best]) },
        numberColumn('judged', 'Judged', percent, {
          low: true,
          tip: 'Share of judged documents that the measure looks at, mean over runs',
        }),
      ],
    }),
    el('div', { id: 'topic', tabindex: -1, hidden: true }),
  ];
}

function topicButton(row) {
  return el(
    'button',
    { type: 'button', class: 'link', 'data-topic': row.topic, click: () => chooseTopic(row.topic, true) },
    name(data.topics[row.topic]),
  );
}

function strip(values, low, high) {
  const at = scale(low, high, topicWidth);
  return picture(
    topicWidth,
    14,
    values.map((value) => upright('tick', at(value), 2, 12)),
  );
}

function chooseTopic(topic, focus) {
  state.topic = topic;
  const panel = document.getElementById('topic');
  panel.hidden = topic === null;
  if (topic === null) return;
  panel.replaceChildren(...topicPanel(topic));
  if (!focus) return;
  panel.scrollIntoView({ block: 'start' });
  panel.focus({ preventScroll: true });
}

function topicPanel(topic) {
  const step = (by) => chooseTopic((topic + by + data.topics.length) % data.topics.length, true);
  const button = (words, click) => el('button', { type: 'button', click }, words);
  return [
    el('h3', null, 'Topic ', name(data.topics[topic]), data.titles[topic] ? ': ' : '', name(data.titles[topic])),
    el(
      'div',
      { class: 'tools' },
      button('← Previous', () => step(-1)),
      button('Next →', () => step(1)),
      button('Close', () => {
        chooseTopic(null);
        document.querySelector(`[data-topic="${topic}"]`)?.focus();
      }),
    ),
    rankingLegend(topic),
    rankings(topic),
    el(
      'div',
      { id: 'doc', role: 'status' },
      el('p', { class: 'faint' }, 'Choose a document to see who else returned it, and where.'),
    ),
  ];
}
