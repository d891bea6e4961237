'use strict';
// What the lead sees, asked for again every few seconds.

const AGAIN = 4000; // milliseconds
const GRAPH = 220; // pixels
const byId = (id) => document.getElementById(id);
const place = { grades: new Map() };

// Columns: [title, cell of a row, class]. The first cell of a row is its heading.
function tableOf(columns, rows) {
  const cell = (column, row, first) =>
    el(first ? 'th' : 'td', { class: column[2], scope: first ? 'row' : null }, column[1](row));
  return el(
    'table',
    null,
    el('thead', null, el('tr', null, columns.map((column) => el('th', { class: column[2], scope: 'col' }, column[0])))),
    el('tbody', null, rows.map((row) => el('tr', null, columns.map((column, i) => cell(column, row, i === 0))))),
  );
}

// Sections that stay as they are keep their place, their selection and their focus.
const shown = new Map();

function put(id, data, make) {
  const now = JSON.stringify(data);
  if (shown.get(id) === now) return;
  shown.set(id, now);
  byId(id).hidden = false;
  byId(id).querySelector('.frame').replaceChildren(...present([make()]));
}

const grade = (value) => {
  const words = (place.grades.get(value) || '').split(': ')[0];
  return words ? `${value}, ${words}` : String(value);
};

// ---- the answer

function showShort({ progress, agreement, outlook, problem }) {
  const tiles = [[`${whole(progress.judged)} of ${whole(progress.pairs)}`, 'documents judged']];
  if (outlook) {
    const { certain, likely, undecided } = outlook.counts;
    const all = certain + likely + undecided;
    if (all) tiles.push([`${whole(certain + likely)} of ${whole(all)}`, `pairs of runs decided; ${whole(certain)} of them certainly`]);
    const open = outlook.goals.filter((goal) => !goal.answered && known(goal.judgments));
    if (open.length) {
      const most = open.reduce((a, b) => (a.judgments > b.judgments ? a : b));
      tiles.push([`≈ ${whole(most.judgments)}`, `judgments to go (${range(most.low, most.high, whole)})`]);
    }
    const [recall] = outlook.recall;
    if (recall && known(recall.recall))
      tiles.push([percent(recall.recall), `of relevant documents found (${range(recall.low, recall.high, percent)}): ${whole(recall.found)} of about ${whole(Math.round(recall.relevant))}`]);
  }
  tiles.push([known(agreement.alpha) ? number(agreement.alpha, 2) : dash, `alpha on ${counted(agreement.pairs, 'document')} judged by several`]);
  tiles.push([whole(progress.disputed), 'wait for your decision']);
  byId('short').replaceChildren(...tiles.map(([value, about]) => el('li', null, el('b', null, value), el('span', null, about))));
  const stop = byId('stop');
  const words = stopWords(outlook, problem);
  if (stop.textContent !== words) stop.textContent = words;
  stop.classList.toggle('answered', Boolean(outlook && outlook.answered));
}

function stopWords(outlook, problem) {
  if (problem) return `${sentenceCase(problem)}.`;
  if (!outlook) return 'What the judgments say is being computed.';
  const answers = outlook.goals.map((goal) => `${sentenceCase(goal.goal)}: ${goal.answer}`).join('. ');
  if (outlook.answered) return `You can stop: what was asked is answered. ${answers}.`;
  const to = outlook.goals.length ? `${answers}.` : 'No question was asked, so there is no end but that of the documents.';
  return `Not yet. ${to}`;
}

// ---- scores and pairs

function interval(low, high, at, from, to) {
  const x = scale(from, to, GRAPH - 12);
  return picture(GRAPH, 16, across('axis', 6, GRAPH - 6, 8), across('between', 6 + x(low), 6 + x(high), 8), circle('here', 6 + x(at), 8, 4));
}

function showScores(outlook) {
  const { runs, measure, strategy } = outlook;
  if (!runs.length) return;
  const [from, to] = extent(runs.flatMap((row) => [row.low, row.high, row.observed]), 1, 0);
  byId('scores-about').textContent =
    `${measure}: what is expected once all is judged, with 95% intervals; “so far” counts what is not judged as not relevant. Documents come in the order of ${strategy}, and all of this is the model's view.`;
  put('scores', runs, () =>
    tableOf([
      ['Run', (row) => name(row.run), 'name'],
      ['So far', (row) => number(row.observed), 'number'],
      ['Expected', (row) => number(row.expected), 'number'],
      ['95% interval', (row) => range(row.low, row.high), 'number'],
      [axis(from, to, GRAPH), (row) => interval(row.low, row.high, row.expected, from, to)],
    ], runs),
  );
}

function showPairs(outlook) {
  const { pairs, counts, risk } = outlook;
  const all = counts.certain + counts.likely + counts.undecided;
  if (!all) return;
  byId('pairs-about').textContent =
    `${whole(counts.certain)} certain (no grades of what is left can change the order), ${whole(counts.likely)} likely (one order with a probability of ${percent(1 - risk)} or more), ${whole(counts.undecided)} undecided.` +
    (all > pairs.length ? ` The first ${whole(pairs.length)} are shown, undecided ones first.` : ' Undecided ones come first.');
  put('pairs', pairs, () =>
    tableOf([
      ['Run', (row) => name(row.run), 'name'],
      ['Other', (row) => name(row.other), 'name'],
      ['Difference', (row) => signed(row.difference), 'number'],
      ['95% interval', (row) => range(row.low, row.high, signed), 'number'],
      ['P(first is better)', (row) => number(row.p_greater, 3), 'number'],
      ['Verdict', (row) => el('span', { class: row.verdict }, row.verdict)],
    ], pairs),
  );
}

// ---- people

function showAgreement(agreement) {
  byId('agreement-about').textContent = agreement.pairs
    ? `On ${counted(agreement.pairs, 'document')} that several graded: Krippendorff's alpha (ordinal) ${number(agreement.alpha, 3)}, Cohen's kappa ${number(agreement.kappa, 3)}, the same grade for ${percent(agreement.same)}.`
    : 'No document was graded by two assessors yet.';
  if (!agreement.assessors.length) return;
  put('agreement', agreement, () =>
    tableOf([
      ['Assessor', (row) => name(row.first), 'name'],
      ['And', (row) => name(row.second), 'name'],
      ['Both graded', (row) => whole(row.pairs), 'number'],
      ['Kappa', (row) => number(row.kappa, 3), 'number'],
      ['Same grade', (row) => percent(row.same), 'number'],
    ], agreement.assessors),
  );
}

function showPeople({ assessors }) {
  put('people', assessors, () =>
    tableOf([
      ['Assessor', (row) => name(row.assessor), 'name'],
      ['Judged', (row) => whole(row.judged), 'number'],
      ['Seconds each (median)', (row) => number(row.seconds, 1), 'number'],
    ], assessors),
  );
}

function showTopics({ topics }) {
  put('topics', topics, () =>
    tableOf([
      ['Topic', (row) => name(row.topic, { class: 'id' })],
      ['Title', (row) => name(row.title), 'name'],
      ['Judged', (row) => `${whole(row.judged)} of ${whole(row.pairs)}`, 'number'],
      ['', (row) => bar(row.pairs ? row.judged / row.pairs : 0, 120)],
    ], topics),
  );
}

function showDisputed(tasks, count) {
  byId('decide').hidden = !count;
  byId('disputed-about').textContent = count
    ? `${counted(count, 'document')} ${count === 1 ? 'waits' : 'wait'} for you: grades differ, or it could not be judged. Your grade counts; what they said stays in the file.` +
      (count > tasks.length ? ` The first ${whole(tasks.length)} are shown.` : '')
    : 'Nothing waits for you.';
  const said = (row) => (row.kind === 'grade' ? grade(row.grade) : 'cannot judge') + (row.note ? ` (${row.note})` : '');
  put('disputed', tasks, () =>
    tasks.length
      ? tableOf([
          ['Topic', (task) => name(task.title || task.topic), 'name'],
          ['Document', (task) => name(task.doc, { class: 'id' })],
          ['What they said', (task) => task.earlier.map((row) => el('div', null, name(row.assessor), ': ', said(row)))],
        ], tasks)
      : null,
  );
}

// ---- again and again

async function look() {
  const banner = byId('banner');
  try {
    const found = await ask('/api/lead/outlook');
    const { tasks } = await ask('/api/lead/disagreements');
    banner.hidden = true;
    showShort(found);
    if (found.outlook) {
      showScores(found.outlook);
      showPairs(found.outlook);
    }
    showAgreement(found.agreement);
    showPeople(found.progress);
    showTopics(found.progress);
    showDisputed(tasks, found.progress.disputed);
  } catch (problem) {
    const words = sentenceOf(problem);
    if (banner.hidden || banner.textContent !== words) banner.textContent = words;
    banner.hidden = false;
    if (problem.status === 401 || problem.status === 403) return;
  }
  setTimeout(look, AGAIN);
}

async function start() {
  watchTheme();
  try {
    const me = await ask('/api/me');
    byId('project').firstChild.textContent = me.project;
    document.title = `Results – ${me.project}`;
    place.grades = new Map(me.grades.map((one) => [one.grade, one.meaning]));
  } catch (problem) {
    byId('stop').textContent = sentenceOf(problem);
    return;
  }
  look();
}

start();
