'use strict';
// Judgments on their way. Each is kept here and in the browser until the server has answered that it is on disk, and is
// sent again with the same key if no answer comes: the server knows keys that it has, so nothing is written twice.

const RETRY = [1000, 2000, 4000, 8000, 15000]; // milliseconds

// Random letters; crypto.randomUUID is there only for https and this machine.
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

class Outbox {
  // told: { saved(entry, answer), refused(entry, problem), changed() }
  constructor(owner, told) {
    this.prefix = `unjudged:waiting:${owner}:`;
    this.told = told;
    this.entries = [];
    this.problem = null; // why the first one could not be sent, while it waits to be sent again
    this.sending = false;
    this.failures = 0;
    addEventListener('online', () => this.hurry());
  }

  // What an earlier page of this browser could not send any more.
  restore() {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(this.prefix));
      const kept = names.map((name) => JSON.parse(localStorage.getItem(name)));
      this.entries.push(...kept.sort((a, b) => a.order - b.order));
    } catch {
      // a browser that keeps nothing
    }
    this.told.changed();
    return this.send();
  }

  add(path, body, task) {
    const entry = { path, body: { ...body, key: newKey() }, order: Date.now() + this.entries.length / 1000 };
    try {
      localStorage.setItem(this.prefix + entry.body.key, JSON.stringify(entry));
    } catch {
      // then it is kept as long as this page
    }
    this.entries.push({ ...entry, task });
    this.told.changed();
    this.send();
  }

  has(pair) {
    return this.entries.some((entry) => entry.body.pair === pair);
  }

  // Sends one after the other, in order, until none is left.
  async send() {
    if (this.sending) return;
    this.sending = true;
    while (this.entries.length) {
      const entry = this.entries[0];
      let answer = null;
      try {
        answer = await ask(entry.path, { ...entry.body, number: this.entries.length + 1 });
      } catch (problem) {
        if (problem.status === 401 || mayPass(problem)) await this.pause(problem);
        else {
          this.done(entry);
          this.told.refused(entry, problem);
        }
        continue;
      }
      this.done(entry);
      this.told.saved(entry, answer);
    }
    this.sending = false;
    this.told.changed();
  }

  done(entry) {
    this.entries.shift();
    this.problem = null;
    this.failures = 0;
    try {
      localStorage.removeItem(this.prefix + entry.body.key);
    } catch {
      // it was not kept
    }
    this.told.changed();
  }

  pause(problem) {
    this.problem = problem;
    this.told.changed();
    const milliseconds = RETRY[Math.min(this.failures, RETRY.length - 1)];
    this.failures += 1;
    return new Promise((resolve) => {
      this.hurry = resolve;
      setTimeout(resolve, milliseconds);
    });
  }

  hurry() {
    // replaced while it waits
  }
}
