'use strict';
// Which words of a document a topic asks for, and where most of them stand together. It guides the eye, nothing else: no
// judgment depends on it. Text goes in as text; the only elements are paragraphs and <mark>.

const frequent = new Set(
  ('a about all also an and any are as at be been but by can did do does for from had has have how i if in into is it its ' +
    'many may more most much no not of on or other should some such than that the their them there these they this those ' +
    'to was we were what when where which who whom why will with would you your').split(' '),
);
// Of English words, longest first. Cutting too much marks a word too many.
const endings = (
  'ational ations ation ating ated ates ments ment ings ing edly ness ions ion ers ors ies als ate ive es ed er or al ly y e s'
).split(' ');
const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
// Scripts that put no spaces between words: there, two letters in a row are what is looked for.
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PASSAGE = 600; // characters
const MOST_MARKS = 4000;

const folded = (word) => word.normalize('NFKD').replace(/\p{M}/gu, '').replace(/['’]s?$/, '').toLowerCase();

function stem(word) {
  for (const ending of endings) {
    if (word.endsWith(ending) && word.length - ending.length >= (ending === 's' ? 3 : 4))
      return word.slice(0, -ending.length).replace(/([bdgmnprt])\1$/, '$1'); // running, run
  }
  return word;
}

function bigrams(word) {
  const letters = [...word];
  return letters.length < 2 ? [word] : letters.slice(1).map((letter, i) => letters[i] + letter);
}

// What a topic asks for: stems, and pairs of letters of scripts without spaces.
function termsOf(title) {
  const words = [...title.matchAll(wordPattern)].map((found) => found[0]);
  const telling = words.filter((word) => !frequent.has(folded(word)));
  const chosen = telling.length ? telling : words;
  return {
    stems: new Set(chosen.filter((word) => !unspaced.test(word)).map((word) => stem(folded(word)))),
    pairs: new Set(chosen.filter((word) => unspaced.test(word)).flatMap(bigrams)),
  };
}

// Where a text has them: [start, end, term].
function places(text, terms) {
  const found = [];
  for (const match of text.matchAll(wordPattern)) {
    if (found.length >= MOST_MARKS) break;
    if (unspaced.test(match[0])) pairPlaces(match[0], match.index, terms.pairs, found);
    else {
      const term = stem(folded(match[0]));
      if (terms.stems.has(term)) found.push([match.index, match.index + match[0].length, term]);
    }
  }
  return found;
}

function pairPlaces(word, start, pairs, found) {
  let at = 0;
  for (const pair of bigrams(word)) {
    const first = [...pair][0].length;
    if (pairs.has(pair)) {
      const last = found[found.length - 1];
      if (last && last[1] > start + at) last[1] = start + at + pair.length; // they overlap: one longer mark
      else found.push([start + at, start + at + pair.length, pair]);
    }
    at += first;
  }
}

// The number of the place where the passage begins that has most different terms, then most of them; the first such.
function bestPlace(found) {
  const inside = new Map();
  let [best, most, first] = [-1, 0, 0];
  found.forEach(([, end, term], last) => {
    inside.set(term, (inside.get(term) || 0) + 1);
    while (end - found[first][0] > PASSAGE) {
      const gone = found[first][2];
      if (inside.get(gone) === 1) inside.delete(gone);
      else inside.set(gone, inside.get(gone) - 1);
      first += 1;
    }
    const value = inside.size * 1e6 + (last - first);
    if (value > most) [best, most] = [first, value];
  });
  return best;
}

// Paragraphs as [start, end]: they are apart by empty lines.
function paragraphs(text) {
  const out = [];
  let start = 0;
  for (const gap of text.matchAll(/\r?\n(?:[ \t\r]*\n)+/g)) {
    if (text.slice(start, gap.index).trim()) out.push([start, gap.index]);
    start = gap.index + gap[0].length;
  }
  if (text.slice(start).trim()) out.push([start, text.length]);
  return out;
}

// Lines that were broken at the edge of a terminal; they are joined again, so that a phone may break them elsewhere.
function isWrapped(paragraph) {
  const lengths = paragraph.split('\n').slice(0, -1).map((line) => line.trimEnd().length);
  return lengths.length > 0 && lengths.every((length) => length >= 45 && length <= 100);
}

// A piece of a text with the places marked that are in it: `next` is the number of the first one.
function marked(text, [start, end], found, next = 0) {
  const parts = [];
  let at = start;
  for (; next < found.length && found[next][0] < end; next += 1) {
    const [from, to] = found[next];
    parts.push(text.slice(at, from), el('mark', null, text.slice(from, to)));
    at = to;
  }
  return [[...parts, text.slice(at, end)], next];
}

// Shows a text with its terms marked, and returns how many they are, and the mark where the best passage begins.
function showText(holder, text, terms) {
  const found = places(text, terms);
  let next = 0;
  const shown = paragraphs(text).map((range) => {
    const [parts, after] = marked(text, range, found, next);
    next = after;
    return el('p', { dir: 'auto', class: isWrapped(text.slice(...range)) ? null : 'kept' }, parts);
  });
  holder.replaceChildren(...shown);
  const best = bestPlace(found);
  return { marks: found.length, best: best < 0 ? null : holder.querySelectorAll('mark')[best] };
}
