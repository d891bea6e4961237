// Elements, numbers and small graphics, of all our pages: nothing here knows what a page is about.

// ---- building blocks. Text from files goes in as text only: nothing here, or anywhere else, takes HTML.

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...present(children));
  return node;
}

// Children as they come: lists in lists, and null for what is not there.
const present = (children) => children.flat(Infinity).filter(known);

// A name from a file. <bdi> keeps letters that run from right to left from turning around what stands beside it.
function name(text, attributes) {
  return el('bdi', attributes, text);
}

// ---- numbers as people read them

const dash = '–';
const known = (value) => value !== null && value !== undefined;
const number = (value, digits = 4) => (known(value) ? value.toFixed(digits) : dash);
const plusOrMinus = (value) => (value > 0 ? '+' : value < 0 ? '−' : '');
const signed = (value) => (known(value) ? plusOrMinus(value) + Math.abs(value).toFixed(4) : dash);
// A rank, or a number of them: ties share the middle of theirs, which may be a half.
const ranks = (value) => (known(value) ? String(Number(value.toFixed(2))) : dash);
const percent = (value) => (known(value) ? `${(100 * value).toFixed(1)}%` : dash);
const whole = (value) => (known(value) ? value.toLocaleString('en-US') : dash);
const counted = (count, word) => `${whole(count)} ${word}${count === 1 ? '' : 's'}`;
const probability = (value) => (!known(value) ? dash : value < 0.0001 ? '<0.0001' : value.toFixed(4));
const range = (low, high, show = number) => (known(low) && known(high) ? `${show(low)} to ${show(high)}` : dash);

const shortName = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const sentenceCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// ---- dark or light: as the system has it, until somebody switches

function isDark() {
  const forced = document.documentElement.dataset.theme;
  return forced ? forced === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function switchTheme() {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
}

// ---- small graphics

function scale(low, high, width) {
  const span = high - low || 1;
  return (value) => ((value - low) / span) * width;
}

// Lowest and highest of many values and these two; as arguments, a hundred thousand would overflow the stack.
function extent(values, low, high) {
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

// Round values between low and high, some five of them.
function ticks(low, high) {
  const rough = (high - low || 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const values = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) values.push(value);
  return values.map((value) => Number(value.toPrecision(10)));
}

// For the eye only: what it shows stands beside it.
// How wide something may be that is to be seen without scrolling: the page less its margins, 1rem on a phone.
const roomAcross = () => document.documentElement.clientWidth - (innerWidth < 736 ? 32 : 48);

const picture = (width, height, ...parts) => svg('svg', { width, height, 'aria-hidden': 'true' }, parts);
const across = (kind, x1, x2, y) => svg('line', { class: kind, x1, x2, y1: y, y2: y });
const upright = (kind, x, y1, y2) => svg('line', { class: kind, x1: x, x2: x, y1, y2 });
const circle = (kind, cx, cy, r) => svg('circle', { class: kind, cx, cy, r });
const textAt = (x, y, anchor, text) => svg('text', { x, y, 'text-anchor': anchor }, String(text));

function axis(low, high, width) {
  const at = scale(low, high, width);
  return picture(
    width,
    16,
    ticks(low, high).map((value) => textAt(at(value), 12, 'middle', value)),
  );
}

function bar(share, width) {
  return picture(
    width,
    10,
    svg('rect', { class: 'track', width, height: 10 }),
    svg('rect', { class: 'bar', width: known(share) ? share * width : 0, height: 10 }),
  );
}
