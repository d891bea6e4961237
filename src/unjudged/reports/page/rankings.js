// ---- the rankings of one topic: a strip of documents for each run, with their grades

const highestGrade = Math.max(1, ...data.rankings.topics.flatMap((topic) => topic.grades.filter(known)));

// Grades as five shades; the grade itself is written on the document, so that shades need not be told apart.
function level(grade) {
  return grade <= 0 ? 0 : Math.max(1, Math.round((4 * grade) / highestGrade));
}

function rankingLegend(topic) {
  const grades = [...new Set(data.rankings.topics[topic].grades.filter(known))].sort((a, b) => a - b);
  const sign = (kind, letter, words) => el('span', null, el('span', { class: `doc ${kind}` }, letter), words);
  return el(
    'div',
    { class: 'legend' },
    ...grades.map((grade) => sign(`level${level(grade)}`, String(grade), `grade ${grade}`)),
    sign('hole', '?', 'not judged'),
    data.rankings.topics[topic].pooled ? sign('hole pooled', '·', 'pooled, not judged') : null,
    sign('alone', '', `in the first ${data.rankings.depth} of this run only`),
  );
}

function rankings(topic) {
  const { docs, runs } = data.rankings.topics[topic];
  const places = docs.map(() => []);
  runs.forEach((ranking, run) => ranking.forEach((doc, at) => places[doc].push([run, at + 1])));
  const order = data.runs
    .map((_, run) => run)
    .sort((a, b) => (topicScore('value', topic, b) ?? -1) - (topicScore('value', topic, a) ?? -1) || a - b);
  const depth = Math.max(0, ...runs.map((ranking) => ranking.length));
  const ranks = Array.from({ length: depth }, (_, at) => el('th', { scope: 'col' }, String(at + 1)));
  const head = (text) => el('th', { scope: 'col', class: 'text' }, text);
  const table = el(
    'table',
    { id: 'rankings' },
    el('caption', { class: 'unseen' }, `Documents that runs return for topic ${data.topics[topic]}, best run first`),
    el('thead', null, el('tr', null, head('Run'), head(data.measures[state.measure].name), ranks)),
    el(
      'tbody',
      null,
      order.map((run) =>
        el(
          'tr',
          null,
          el('th', { scope: 'row', class: 'text' }, name(data.runs[run])),
          el('td', { class: 'number', 'data-tip': runWords(topic, run) }, score(topicScore('value', topic, run))),
          runs[run].map((doc, at) => el('td', null, documentSign(topic, doc, at + 1, places[doc]))),
        ),
      ),
    ),
  );
  watchDocuments(table, topic, places);
  return el('div', { class: 'strips' }, table);
}

function runWords(topic, run) {
  const [low, high] = [topicScore('low', topic, run), topicScore('high', topic, run)];
  return `${data.holes[state.holes].name}: ${score(topicScore('value', topic, run))}${known(low) ? `, ${range(low, high, score)}` : ''}\njudged: ${percent(topicScore('judged', topic, run))}`;
}

function documentSign(topic, doc, rank, found) {
  const { docs, grades, pooled } = data.rankings.topics[topic];
  const grade = grades[doc];
  const waiting = !known(grade) && pooled && pooled.includes(doc);
  const kind = known(grade) ? `level${level(grade)}` : waiting ? 'hole pooled' : 'hole';
  const said = `${docs[doc]}\n${known(grade) ? `grade ${grade}` : 'not judged'}, rank ${rank}, in ${found.length} of ${counted(data.runs.length, 'run')}`;
  return el(
    'span',
    {
      class: `doc ${kind}${found.length === 1 ? ' alone' : ''}`,
      role: 'button',
      tabindex: -1,
      'data-doc': doc,
      'data-tip': said,
      'aria-label': said,
    },
    known(grade) ? String(grade) : waiting ? '·' : '?',
  );
}

// One document of the grid can be reached with the tab key, the others from it with the arrows.
function watchDocuments(table, topic, places) {
  const first = table.querySelector('.doc');
  if (first) first.tabIndex = 0;
  const mark = (target) => {
    const doc = target?.closest?.('[data-doc]')?.dataset.doc;
    table.querySelectorAll('.same').forEach((node) => node.classList.remove('same'));
    if (doc !== undefined) table.querySelectorAll(`[data-doc="${doc}"]`).forEach((node) => node.classList.add('same'));
  };
  const choose = (target) => {
    const node = target.closest('[data-doc]');
    if (node) document.getElementById('doc').replaceChildren(...aboutDocument(topic, Number(node.dataset.doc), places));
  };
  table.addEventListener('mouseover', (event) => mark(event.target));
  table.addEventListener('mouseleave', () => mark(null));
  table.addEventListener('focusin', (event) => mark(event.target));
  table.addEventListener('click', (event) => choose(event.target));
  table.addEventListener('keydown', (event) => {
    const cell = event.target.closest('td');
    if (!cell) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      choose(event.target);
      return;
    }
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] || 0;
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key] || 0;
    if (!across && !down) return;
    event.preventDefault();
    const row = table.tBodies[0].rows[cell.parentNode.rowIndex - 1 + down];
    const next = row?.cells[cell.cellIndex + across]?.querySelector('.doc');
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

function aboutDocument(topic, doc, places) {
  const { docs, grades, texts } = data.rankings.topics[topic];
  const found = places[doc].slice().sort((a, b) => a[1] - b[1]);
  const shown = found.slice(0, 20);
  const grade = known(grades[doc]) ? `grade ${grades[doc]}` : 'not judged: nobody knows whether it is relevant';
  const who = shown.flatMap(([run, rank], i) => [i ? ', ' : '', name(data.runs[run]), ` (${rank})`]);
  return present([
    el('p', null, name(docs[doc], { class: 'id' }), ` ${dash} ${grade}`),
    el(
      'p',
      null,
      `Returned by ${found.length} of ${counted(data.runs.length, 'run')} (rank): `,
      who,
      found.length > shown.length ? ` and ${found.length - shown.length} more` : '',
    ),
    texts && texts[doc] ? el('p', { class: 'text' }, name(texts[doc])) : null,
  ]);
}
