// ---- the page: what is chosen, and what has to be drawn again when that changes

const sections = {
  files: showFiles,
  scores: showScores,
  topics: showTopics,
  order: showOrder,
  ...(data.segments ? { segments: showSegments } : {}),
  added: showAdded,
  ...(data.labels ? { labels: showLabels } : {}),
  reuse: showReuse,
  ...(data.judge ? { judge: showJudge } : {}),
  ...(data.corpus ? { corpus: showCorpus } : {}),
  origin: showOrigin,
};

function redraw(...names) {
  for (const section of names) {
    document.querySelector(`#${section} > .body`).replaceChildren(...present(sections[section]()));
  }
  if (names.includes('topics')) chooseTopic(state.topic, false);
  hideTip();
}

function chooseFrom(id, options, change) {
  const select = document.getElementById(id);
  select.append(...options.map((one, place) => el('option', { value: place }, one.name)));
  select.value = String(state[id]);
  select.addEventListener('change', () => change(Number(select.value)));
}

function showTheme() {
  const button = document.getElementById('theme');
  button.textContent = isDark() ? 'Light' : 'Dark';
  button.setAttribute('aria-pressed', String(isDark()));
  redraw('order'); // the matrix is painted with the colours of the theme
}

// Paper is white, and all of a table is on it.
function showOnPaper(is) {
  if (is === printing) return;
  printing = is;
  const { dataset } = document.documentElement;
  if (is) [dataset.onScreen, dataset.theme] = [dataset.theme || '', 'light'];
  else if (dataset.onScreen) dataset.theme = dataset.onScreen;
  else delete dataset.theme;
  redraw(...Object.keys(sections));
}

function start() {
  const { runs, topics, files } = data;
  document.getElementById('about').textContent = [
    counted(runs.length, 'run'),
    data.groups ? counted(new Set(data.groups).size, 'group') : null,
    counted(topics.length, 'topic'),
    files.judgments ? counted(files.judgments.judged, 'judgment') : null,
    `unjudged ${data.origin.version}`,
  ]
    .filter(known)
    .join(' · ');
  state.holes = data.holes.length - 1 - [...data.scores.low].reverse().findIndex((low) => low[0]); // the last that has ranges
  if (state.holes >= data.holes.length) state.holes = 0;
  chooseFrom('measure', data.measures, (place) => {
    state.measure = place;
    redraw('scores', 'topics', 'order', 'added', ...(data.segments ? ['segments'] : []), ...(data.corpus ? ['corpus'] : []));
  });
  chooseFrom('holes', data.holes, (place) => {
    state.holes = place;
    redraw('scores', 'topics', 'reuse');
  });
  document.getElementById('theme').addEventListener('click', () => {
    switchTheme();
    showTheme();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showTheme);
  window.addEventListener('beforeprint', () => showOnPaper(true));
  window.addEventListener('afterprint', () => showOnPaper(false));
  for (const answer of document.querySelectorAll('[data-answer]'))
    answer.replaceChildren(...sentence(answer.textContent));
  document.getElementById('controls').addEventListener('submit', (event) => event.preventDefault());
  document.getElementById('controls').hidden = false;
  watchTips();
  redraw(...Object.keys(sections).filter((one) => one !== 'order')); // which comes with the theme
  showTheme();
}

start();
