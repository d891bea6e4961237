'use strict';
// The link of an assessor: what stands behind # never reaches a server's log. It is sent once, and becomes a cookie
// that scripts cannot read; then nothing of it is left in the address or in what was visited.

async function join() {
  const state = document.getElementById('state');
  const token = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', '/join');
  try {
    if (!token) throw new Refused('this link has lost its end; copy the whole line that was given to you', 401);
    await ask('/api/join', { token });
    location.replace('/');
  } catch (problem) {
    state.textContent = sentenceOf(problem);
  }
}

addEventListener('hashchange', () => location.hash && join()); // the whole link, after one that had lost its end
join();
