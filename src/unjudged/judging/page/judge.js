'use strict';
// The desk: what is shown, what comes next, what was done, and what is on its way to the server.

const BOUNCE = 200; // milliseconds in which nobody has seen a document: a key that bounces judges nothing
const SOON = 800;
const LOOK_AGAIN = 10000;
const MOST_UNDONE = 50; // documents that are kept here; what was judged before is asked for
const adjudicating = location.pathname === '/adjudicate';

const desk = {
  me: null,
  tasks: [], // the first one is shown
  done: [], // what was judged on this page, for undo: { task, kind, grade, note, flagged }
  best: null,
  flagged: false,
  shownAt: 0,
  finished: false, // the server had nothing more
  progress: null,
};
const watch = new Watch();
let outbox = null;

const meaning = (grade) => {
  const found = desk.me.grades.find((one) => one.grade === grade);
  return found && found.meaning ? `${grade}, ${shortMeaning(found.meaning)}` : String(grade);
};
// 'Relevant: it answers the question' is long for a button; its first words are in bold.
const shortMeaning = (words) => words.split(': ')[0];

// ---- what is shown

function show() {
  const task = desk.tasks[0];
  byId('shown').hidden = !task;
  byId('bar').hidden = !task && !desk.done.length;
  byId('grades').hidden = !task;
  byId('waiting').hidden = Boolean(task);
  byId('waiting').textContent = waitingWords();
  if (!task) {
    showEarlier([], meaning);
    desk.shownTask = null;
    return;
  }
  if (desk.shownTask === task) return;
  if (!desk.shownTask || desk.shownTask.topic !== task.topic) showTopic(task);
  desk.shownTask = task;
  desk.best = showDocument(task);
  showEarlier(task.earlier, meaning, !task.adjudicate);
  const before = task.adjudicate ? null : task.earlier[task.earlier.length - 1];
  for (const button of byId('grades').children)
    button.classList.toggle('before', Boolean(before) && before.grade === Number(button.dataset.grade));
  setNote(before ? before.note : '');
  setFlag(Boolean(before) && before.flagged);
  byId('doc-title').focus({ preventScroll: true });
  byId('to-best').hidden = !scrollToStart(desk.best);
  showProgress();
  desk.shownAt = performance.now();
  watch.restart();
}

function waitingWords() {
  if (!desk.finished) return outbox && outbox.problem ? 'The next document comes when there is a connection again.' : 'One moment…';
  if (adjudicating) return 'Nothing waits for a decision.';
  return 'Nothing is left for you to judge. Thank you! If there is more later, it appears here.';
}

function setFlag(flagged) {
  desk.flagged = flagged;
  byId('flag').setAttribute('aria-pressed', String(flagged));
}

function setNote(text) {
  byId('note').value = text;
  openNote(Boolean(text));
}

function openNote(open) {
  byId('note-row').hidden = !open;
  byId('write-note').setAttribute('aria-expanded', String(open));
}

// ---- progress

function showProgress() {
  const { progress } = desk;
  const task = desk.tasks[0];
  if (!progress) return;
  const bar = (id, [judged, pairs]) => {
    byId(`${id}-count`).textContent = `${whole(judged)} of ${whole(pairs)}`;
    byId(`${id}-progress`).value = pairs ? judged / pairs : 0;
  };
  byId('progress').hidden = false;
  bar('all', [progress.judged, progress.pairs]);
  const topic = task && progress.topics[task.topic];
  byId('topic-progress').closest('label').hidden = !topic;
  if (topic) bar('topic', topic);
  const pace = progress.seconds ? `, ${number(progress.seconds, progress.seconds < 10 ? 1 : 0)} s each` : '';
  const mine = `${whole(progress.mine)} by you${pace}`;
  byId('pace').textContent = adjudicating ? `${counted(progress.disputed, 'document')} to decide` : mine;
  const free = byId('banner').hidden; // nothing that went wrong stands there
  if (progress.stop && free && !adjudicating)
    tell('What this project wanted to know is decided: judging can stop here. What is judged beyond is kept, too.', 'calm');
}

async function askProgress() {
  const topics = [...new Set(desk.tasks.map((task) => task.topic))];
  const query = topics.map((topic) => `topic=${encodeURIComponent(topic)}`).join('&');
  try {
    const found = await ask(`/api/progress?${query}`);
    desk.progress = { ...found, topics: { ...(desk.progress || found).topics, ...found.topics } };
    showProgress();
  } catch {
    // it is asked for again soon
  }
}

// ---- what people are told

function tell(words, kind = '') {
  const banner = byId('banner');
  if (banner.textContent === words) return;
  banner.textContent = words;
  banner.className = kind;
  banner.hidden = !words;
}

const saved = (words) => (byId('saved').textContent = words);

function outboxChanged() {
  if (!outbox) return;
  const waiting = outbox.entries.length;
  if (outbox.problem && waiting) {
    const lost = outbox.problem.status === 401;
    const why = lost ? 'This link is no longer valid' : outbox.problem instanceof Refused ? sentenceOf(outbox.problem) : 'No connection';
    const kept = `${counted(waiting, 'judgment')} not saved yet, kept in this browser`;
    saved(`${counted(waiting, 'judgment')} not saved yet`);
    tell(`${why.replace(/\.$/, '')}: ${kept}. ${lost ? 'Open your link again.' : 'It is tried again until the server has them; you can go on with what is loaded.'}`);
  } else if (!outbox.problem && byId('banner').className === '') tell('');
  if (!desk.tasks.length) show();
}

// ---- what is done

function took(tasks) {
  // An answer that was on its way may still have what was judged meanwhile; what was skipped may come back.
  const judged = (pair) => desk.done.some((one) => one.task.pair === pair && one.kind !== 'skip');
  const here = (pair) => desk.tasks.some((task) => task.pair === pair) || outbox.has(pair) || judged(pair);
  const added = tasks.filter((task) => !here(task.pair));
  desk.tasks.push(...added);
  desk.finished = !tasks.length && !outbox.entries.length && !desk.tasks.length;
  show();
  if (added.some((task) => !(desk.progress && desk.progress.topics[task.topic]))) askProgress();
}

function judge(kind, grade = null) {
  const task = desk.tasks[0];
  if (!task || performance.now() - desk.shownAt < BOUNCE) return;
  const said = { kind, grade, note: byId('note').value.trim(), flagged: desk.flagged };
  desk.tasks.shift();
  if (adjudicating && kind === 'skip') desk.tasks.push(task);
  else {
    desk.done = [...desk.done.slice(1 - MOST_UNDONE), { task, ...said }];
    send(task, said);
  }
  show();
}

function send(task, { kind, grade, note, flagged }) {
  const { pair, doc } = task;
  if (adjudicating) return outbox.add('/api/lead/adjudicate', { pair, grade, note }, doc);
  const { text_sha256, guidelines } = task;
  const seconds = watch.seconds();
  return outbox.add('/api/record', { pair, kind, grade, note, flagged, seconds, text_sha256, guidelines }, doc);
}

function undo() {
  const last = desk.done.pop();
  if (!last) return undoOnServer();
  // What it takes back may still be on its way: it is sent after it. A decision of the lead is replaced by the next one.
  if (!adjudicating)
    outbox.add('/api/record', { pair: last.task.pair, kind: 'withdraw' }, last.task.doc);
  const { kind, grade, note, flagged } = last;
  const own = { kind, grade, note, flagged };
  comeBack({ ...last.task, earlier: adjudicating ? last.task.earlier : [own] });
  return null;
}

// What was judged before this page was opened.
async function undoOnServer() {
  if (adjudicating || outbox.entries.length) return;
  desk.undoKey = desk.undoKey || newKey();
  try {
    const { task } = await ask('/api/undo', { key: desk.undoKey });
    if (task) comeBack(task);
    else saved('There is nothing to undo');
    if (task) saved(`Taken back: ${task.doc}`);
  } catch (problem) {
    if (mayPass(problem)) return saved(`Not undone: ${sentenceOf(problem)} Press u again`);
    saved(sentenceOf(problem));
  }
  desk.undoKey = null;
}

function comeBack(task) {
  desk.tasks = [task, ...desk.tasks.filter((one) => one.pair !== task.pair)];
  show();
}

const did = {
  saved({ path, body, task }, answer) {
    const where = task ? ` for ${task}` : '';
    if (path === '/api/lead/adjudicate' || body.kind === 'grade') saved(`Saved: ${meaning(body.grade)}${where}`);
    else if (body.kind === 'withdraw') saved(`Taken back${task ? `: ${task}` : ''}`);
    else saved(body.kind === 'skip' ? `Skipped${task ? `: ${task}` : ''}` : `Saved: cannot be judged${where}`);
    if (answer.tasks) took(answer.tasks);
    else if (!desk.tasks.length) refill();
    soon();
  },
  refused({ task, body }, problem) {
    desk.done = desk.done.filter((one) => one.task.pair !== body.pair);
    tell(`Not recorded${task ? ` for ${task}` : ''}: ${sentenceOf(problem)}`, 'lasting');
    refill();
  },
  changed: outboxChanged,
};

async function refill() {
  try {
    const number = 2 + outbox.entries.length;
    const { tasks } = adjudicating ? await ask('/api/lead/disagreements?texts=1') : await ask('/api/next', { number });
    took(tasks);
  } catch (problem) {
    if (!outbox.problem) tell(sentenceOf(problem));
    if (problem.status !== 401) setTimeout(refill, RETRY[2]);
  }
}

let asking = null;

// Progress is asked for once for what is judged quickly after each other.
function soon() {
  if (asking) return;
  asking = setTimeout(() => {
    asking = null;
    askProgress();
  }, SOON);
}

// ---- the page

function gradeButton({ grade, meaning: words }, i, all) {
  const [short, ...rest] = words.split(': ');
  const about = rest.length ? el('small', null, rest.join(': ')) : null;
  const level = Math.round((4 * i) / Math.max(1, all.length - 1)); // of the five colours
  const attributes = { type: 'button', 'data-grade': grade, 'data-level': level, click: () => judge('grade', grade) };
  return el('button', attributes, el('kbd', null, String(grade)), ' ', el('span', null, el('b', null, short || `Grade ${grade}`), about));
}

function actions() {
  const toBest = () => desk.best && scrollToBest(desk.best);
  return {
    ...Object.fromEntries(desk.me.grades.map(({ grade }) => [grade, [meaning(grade), () => judge('grade', grade)]])),
    u: ['undo: take the last judgment back, and show its document again', undo],
    s: ['skip: another document now, this one later', () => judge('skip')],
    ...(adjudicating
      ? {}
      : {
          x: ['cannot judge: broken, in a language you do not read, …', () => judge('cannot')],
          f: ['flag: somebody should look at this; it goes with your judgment', () => setFlag(!desk.flagged)],
        }),
    n: ['note: write why; Escape goes back', writeNote],
    b: ['the passage with most words of the topic', toBest],
    t: ['top of the document', scrollToTop],
    g: ['guidelines', readGuidelines],
    '?': ['these keys', () => byId('help').showModal()],
  };
}

function writeNote() {
  openNote(true);
  byId('note').focus();
}

function readGuidelines() {
  const guidelines = byId('guidelines');
  guidelines.open = !guidelines.open;
  if (guidelines.open) guidelines.querySelector('summary').focus();
}

function watchButtons(all) {
  const clicks = { undo: 'u', skip: 's', cannot: 'x', flag: 'f', 'to-best': 'b', 'open-help': '?' };
  for (const [id, key] of Object.entries(clicks)) {
    if (all[key]) byId(id).addEventListener('click', () => all[key][1]());
    else byId(id).hidden = true;
  }
  byId('write-note').addEventListener('click', () => (byId('note-row').hidden ? writeNote() : openNote(false)));
  byId('close-help').addEventListener('click', () => byId('help').close());
  byId('note').addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    openNote(Boolean(byId('note').value.trim()));
    byId('doc-title').focus({ preventScroll: true });
  });
  const keysOn = byId('keys-on');
  keysOn.checked = remembered('keys') !== 'off';
  keysOn.addEventListener('change', () => remember('keys', keysOn.checked ? 'on' : 'off'));
  watchKeys(all, () => keysOn.checked);
}

function dressPage() {
  const { me } = desk;
  byId('project').firstChild.textContent = me.project;
  byId('to-lead').hidden = !me.lead;
  byId('to-judging').hidden = !adjudicating;
  document.title = `${adjudicating ? 'Decide' : 'Judge'} – ${me.project}`;
  byId('grades').replaceChildren(...me.grades.map(gradeButton));
  byId('guidelines').hidden = !me.guidelines.markdown.trim();
  byId('guidelines-text').replaceChildren(...markdown(me.guidelines.markdown));
  const all = actions();
  byId('help-keys').replaceChildren(...helpOf(all));
  watchButtons(all);
  const folded = () => {
    byId('topic-more').open = !phone.matches;
    byId('guidelines').open = !phone.matches;
  };
  phone.addEventListener('change', folded);
  folded();
  // The topic ends where the judgment begins, however high that is.
  const height = () => document.documentElement.style.setProperty('--bar', `${byId('bar').offsetHeight}px`);
  new ResizeObserver(height).observe(byId('bar'));
}

async function start() {
  watchTheme();
  try {
    desk.me = await ask('/api/me');
  } catch (problem) {
    byId('waiting').textContent = sentenceOf(problem);
    if (problem.status !== 401) setTimeout(() => location.reload(), RETRY[3]);
    return;
  }
  dressPage();
  outbox = new Outbox(`${desk.me.project}:${desk.me.made}:${desk.me.assessor}`, did);
  outbox.restore();
  await refill();
  setInterval(() => {
    if (document.hidden) return;
    soon();
    if (!desk.tasks.length && !outbox.entries.length) refill();
  }, LOOK_AGAIN);
  addEventListener('beforeunload', (event) => outbox.entries.length && event.preventDefault());
}

start();
