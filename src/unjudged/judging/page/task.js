'use strict';
// A document to judge, on the page: the topic on one side, the text on the other.

const byId = (id) => document.getElementById(id);

// How long a document was in sight: the clock stands while the page is hidden.
class Watch {
  constructor() {
    this.restart();
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) {
        this.before = this.milliseconds();
        this.since = null;
      } else this.since = performance.now();
    });
  }

  restart() {
    this.before = 0;
    this.since = document.hidden ? null : performance.now();
  }

  milliseconds() {
    return this.before + (this.since === null ? 0 : performance.now() - this.since);
  }

  seconds() {
    return Math.round(this.milliseconds() / 10) / 100;
  }
}

const topicWords = (task) => task.title || task.description || task.topic;

function showTopic(task) {
  byId('topic-id').textContent = task.topic;
  byId('topic-title').textContent = topicWords(task);
  byId('topic-title').classList.toggle('long', topicWords(task).length > 100);
  const more = [
    ['Description', task.title ? task.description : ''],
    ['Narrative', task.narrative],
  ].filter(([, text]) => text);
  byId('topic-text').replaceChildren(
    ...more.flatMap(([title, text]) => [
      el('h2', null, title),
      ...paragraphs(text).map((range) => el('p', { dir: 'auto' }, text.slice(...range))),
    ]),
  );
  byId('topic-more').hidden = !more.length;
}

// Returns the mark where the best passage begins, if it is far enough down to go there.
function showDocument(task) {
  const terms = termsOf(topicWords(task));
  const title = task.doc_title || task.doc;
  byId('doc-id').textContent = task.doc;
  byId('doc-id').parentNode.hidden = !task.doc_title;
  byId('doc-title').classList.toggle('id', !task.doc_title);
  byId('doc-title').replaceChildren(...marked(title, [0, title.length], places(title, terms))[0]);
  byId('doc-link').replaceChildren(
    ...(task.link && outside(task.link) ? [outsideLink(task.link, task.text === null ? 'Open the document in a new tab' : 'Open where it is from')] : []),
  );
  byId('doc-link').classList.toggle('alone', task.text === null);
  const text = byId('doc-text');
  if (task.text === null) {
    text.replaceChildren(el('p', { class: 'soft' }, 'The text of this document is not in the project.'));
    return null;
  }
  if (!task.text.trim()) {
    text.replaceChildren(el('p', { class: 'soft' }, 'This document has no text.'));
    return null;
  }
  return showText(text, task.text, terms).best;
}

// What others said, for the lead; or what the same assessor said before.
function showEarlier(rows, meaning, own) {
  const words = (row) => (row.kind === 'grade' || row.kind === 'adjudicate' ? meaning(row.grade) : kindWords[row.kind]);
  const about = (row) => (row.note ? `: ${row.note}` : '') + (row.flagged ? ' (flagged)' : '');
  byId('earlier').hidden = !rows.length;
  byId('earlier').replaceChildren(
    ...present(
      rows.map((row) => el('span', null, own ? 'You said: ' : [name(row.assessor), ': '], el('b', null, words(row)), about(row))),
    ),
  );
}

const kindWords = { skip: 'skipped', cannot: 'cannot be judged', withdraw: 'taken back' };

// ---- where on the page

const phone = matchMedia('(max-width: 60rem)');

const lower = () => window.innerHeight - byId('bar').offsetHeight;

// The page begins with the document; if its best passage is further down than can be seen, with that passage.
function scrollToStart(best) {
  scrollToTop();
  if (best && best.getBoundingClientRect().bottom > lower() - 60) {
    scrollToBest(best);
    return true;
  }
  return false;
}

const scrollToTop = () => (phone.matches ? byId('document').scrollIntoView({ behavior: 'instant' }) : scrollTo({ top: 0, behavior: 'instant' }));

function scrollToBest(best) {
  scrollBy({ top: best.getBoundingClientRect().top - 0.35 * lower(), behavior: 'instant' });
  best.classList.remove('here');
  void best.offsetWidth; // so that it is drawn attention to again
  best.classList.add('here');
}
