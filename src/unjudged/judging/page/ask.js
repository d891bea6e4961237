'use strict';
// Asking the server, and saying what went wrong.

const PATIENCE = 20000; // milliseconds, after which an answer is taken for lost

class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

// Data from the server; with a body, which is sent as JSON. Raises Refused with the server's words, or another error if
// nobody answered.
async function ask(path, body) {
  const giveUp = new AbortController();
  const clock = setTimeout(() => giveUp.abort(), PATIENCE);
  const asked = { cache: 'no-store', credentials: 'same-origin', redirect: 'error', signal: giveUp.signal };
  if (body !== undefined) {
    asked.method = 'POST';
    asked.headers = { 'Content-Type': 'application/json' };
    asked.body = JSON.stringify(body);
  }
  try {
    const answer = await fetch(path, asked);
    const found = await answer.json();
    if (!answer.ok) throw new Refused(found.error, answer.status);
    return found;
  } finally {
    clearTimeout(clock);
  }
}

// Whether asking again may help: nobody answered, or the server could not. What it refused, it refuses again.
const mayPass = (problem) => !(problem instanceof Refused) || problem.status >= 500 || problem.status === 408;

function sentenceOf(problem) {
  if (problem instanceof Refused) return `${sentenceCase(problem.message)}.`;
  return 'The server does not answer. Is it running, and is there a connection?';
}

// ---- dark or light, remembered in this browser

const remembered = (what) => {
  try {
    return localStorage.getItem(`unjudged:${what}`);
  } catch {
    return null; // a browser that keeps nothing
  }
};

function remember(what, value) {
  try {
    localStorage.setItem(`unjudged:${what}`, value);
  } catch {
    // then it is forgotten with the page
  }
}

function watchTheme() {
  const button = document.getElementById('theme');
  const show = () => (button.textContent = isDark() ? 'Light' : 'Dark');
  const theme = remembered('theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
  button.addEventListener('click', () => {
    switchTheme();
    remember('theme', document.documentElement.dataset.theme);
    show();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  show();
}
