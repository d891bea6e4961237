'use strict';
// Guidelines: headings, lists, quotations, code, **bold**, *italics* and links to http and https. It makes elements and
// text, never HTML; what it does not know stays as it was written.

const inline = /`([^`\n]+)`|\*\*([^\n]+?)\*\*|\*([^*\s][^*\n]*?)\*|\b_([^_\n]+?)_\b|\[([^\]\n]+)\]\(([^()\s]+)\)/;

function inlines(text) {
  const parts = [];
  let rest = text;
  for (let at = inline.exec(rest); at; at = inline.exec(rest)) {
    const [whole, code, bold, stars, bars, words, address] = at;
    parts.push(rest.slice(0, at.index));
    if (code) parts.push(el('code', null, code));
    else if (bold) parts.push(el('strong', null, inlines(bold)));
    else if (stars || bars) parts.push(el('em', null, inlines(stars || bars)));
    else parts.push(outside(address) ? outsideLink(address, inlines(words)) : whole);
    rest = rest.slice(at.index + whole.length);
  }
  return [...parts, rest];
}

// Addresses on the web; javascript:, data: and the like stay text.
function outside(address) {
  try {
    return ['http:', 'https:'].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

const outsideLink = (address, words) =>
  el('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, words);

const kinds = [
  ['fence', /^\s*(?:```|~~~)/],
  ['heading', /^(#{1,6})\s+(.*?)\s*#*\s*$/],
  ['rule', /^\s*([-*_])(?:\s*\1){2,}\s*$/],
  ['item', /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/],
  ['quote', /^\s*>\s?(.*)$/],
  ['empty', /^\s*$/],
];

function kindOf(line) {
  for (const [kind, pattern] of kinds) {
    const found = pattern.exec(line);
    if (found) return [kind, found];
  }
  return ['words', [line, line]];
}

// Elements of a text; its first headings are of this level.
function markdown(text, level = 3) {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const [kind, found] = kindOf(lines[at]);
    if (kind === 'fence') {
      const end = lines.findIndex((line, i) => i > at && kindOf(line)[0] === 'fence');
      out.push(el('pre', null, el('code', null, lines.slice(at + 1, end < 0 ? undefined : end).join('\n'))));
      at = end < 0 ? lines.length : end + 1;
    } else if (kind === 'heading') {
      out.push(el(`h${Math.min(6, found[1].length + level - 1)}`, null, inlines(found[2])));
      at += 1;
    } else if (kind === 'item') {
      const [list, next] = listFrom(lines, at);
      out.push(list);
      at = next;
    } else if (kind === 'quote' || kind === 'words') {
      const from = at;
      while (at < lines.length && kindOf(lines[at])[0] === kind) at += 1;
      const words = lines.slice(from, at).map((line) => kindOf(line)[1][1]);
      out.push(kind === 'words' ? el('p', null, inlines(words.join('\n'))) : el('blockquote', null, inlines(words.join('\n'))));
    } else {
      if (kind === 'rule') out.push(el('hr'));
      at += 1;
    }
  }
  return out;
}

// The list that begins at a line, and the line after it. What is indented more is a list within its item, or its words.
function listFrom(lines, start) {
  const first = kindOf(lines[start])[1];
  const indent = first[1].length;
  const list = el(first[2] ? 'ol' : 'ul', first[2] && first[2] !== '1' ? { start: Number(first[2]) } : null);
  let at = start;
  while (at < lines.length) {
    const [kind, found] = kindOf(lines[at]);
    if (kind === 'item' && found[1].length < indent) break;
    if (kind === 'item' && found[1].length > indent + 1) {
      const [inner, next] = listFrom(lines, at);
      list.lastChild.append(inner);
      at = next;
    } else if (kind === 'item') {
      list.append(el('li', null, inlines(found[3])));
      at += 1;
    } else if (kind === 'words' && /^\s/.test(lines[at])) {
      list.lastChild.append(' ', ...present([inlines(lines[at].trim())]));
      at += 1;
    } else break;
  }
  return [list, at];
}
