'use strict';
// Keys: every one has a button with the same effect, and the list of help.

const isWriting = (node) => node.matches('input, textarea, select');

// actions: { key: [words, does] }. A key that is held down does nothing more, and none does anything while somebody
// writes, or when a dialog is open.
function watchKeys(actions, isOn) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (document.querySelector('dialog[open]') || isWriting(event.target)) return;
    const key = event.key.toLowerCase();
    const action = actions[key];
    if (!action || !(isOn() || key === '?')) return;
    event.preventDefault();
    action[1]();
  });
}

const helpOf = (actions) =>
  Object.entries(actions).flatMap(([key, [words]]) => [el('dt', null, el('kbd', null, key)), el('dd', null, words)]);
