const data = JSON.parse(document.getElementById('data').textContent);

// What is chosen: places in the lists of measures, hole models, topics and runs.
const state = { measure: 0, holes: 0, topic: null, against: null };

// A sentence in which names that are not plain ASCII are kept apart from the words around them.
function sentence(text) {
  const parts = [text];
  for (const run of data.runs) {
    if (/^[\x20-\x7e]*$/.test(run)) continue;
    for (let i = 0; i < parts.length; i += 1) {
      if (typeof parts[i] !== 'string') continue;
      const pieces = parts[i].split(run);
      parts.splice(i, 1, ...pieces.flatMap((piece, at) => (at ? [name(run), piece] : [piece])));
    }
  }
  return parts;
}

// Our own words, in which `commands` stand between backticks.
function advice(text) {
  return text.split('`').map((part, i) => (i % 2 ? el('code', null, part) : part));
}

function lead(text) {
  return el('p', { class: 'lead' }, sentence(text));
}

function note(text) {
  return el('p', { class: 'note' }, sentence(text));
}

// What is there for those who want it, folded away.
function folded(count, word, about, aboutMany, content) {
  if (!count) return null;
  const title = `${counted(count, word)}, ${count === 1 ? about : aboutMany}`;
  return el('details', { class: 'folded' }, el('summary', null, title), content());
}

const score = (value) =>
  data.measures[state.measure].count ? (known(value) ? whole(Math.round(value)) : dash) : number(value);

// What a study warned about, where its result is shown; the last section has all warnings.
function remarks(found) {
  const shown = 4;
  const lines = found.remarks.slice(0, shown).map((text) => el('li', null, sentence(text), '.'));
  if (found.remarks.length > shown)
    lines.push(
      el('li', null, `${found.remarks.length - shown} more are listed below, with where the numbers come from.`),
    );
  return lines.length ? el('ul', { class: 'note' }, lines) : null;
}

// ---- columns: rows are kept as one list per column

function rowsOf(columns) {
  const names = Object.keys(columns);
  const length = names.length ? columns[names[0]].length : 0;
  return Array.from({ length }, (_, i) => Object.fromEntries(names.map((key) => [key, columns[key][i]])));
}

// ---- tooltips: whatever has data-tip shows it, to the mouse and to the keyboard

const tip = document.getElementById('tip');

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const width = document.documentElement.clientWidth;
  const left = Math.min(x + window.scrollX + 12, window.scrollX + width - tip.offsetWidth - 8);
  const below = y + 18 + tip.offsetHeight < window.innerHeight;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${window.scrollY + (below ? y + 18 : y - tip.offsetHeight - 8)}px`;
}

function hideTip() {
  tip.hidden = true;
}

function watchTips() {
  document.addEventListener('mouseover', (event) => {
    const owner = event.target.closest ? event.target.closest('[data-tip]') : null;
    if (owner) showTip(owner.getAttribute('data-tip'), event.clientX, event.clientY);
    else if (!event.target.matches || !event.target.matches('canvas')) hideTip();
  });
  document.addEventListener('focusin', (event) => {
    const owner = event.target.closest('[data-tip]');
    if (!owner || !owner.matches(':focus-visible')) return;
    const box = owner.getBoundingClientRect();
    showTip(owner.getAttribute('data-tip'), box.left, box.bottom - 12);
  });
  document.addEventListener('focusout', hideTip);
  document.addEventListener('keydown', (event) => event.key === 'Escape' && hideTip());
}
