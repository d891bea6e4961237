// ---- the matrix: verdicts above the diagonal, significance below it

const namesWidth = 190;

function matrix(rows, pairs) {
  const size = rows.length;
  // Names stand beside it where both have room, and are told by pointing where they do not.
  const room = Math.min(640 + namesWidth, roomAcross());
  const [beside, alone] = [room - namesWidth, Math.min(640, room)].map((across) => Math.floor(across / size));
  const named = beside >= 14;
  const cell = Math.max(4, Math.min(26, named ? beside : alone));
  const place = new Map(rows.map((row, i) => [row.run, i]));
  const grid = new Map();
  for (const pair of pairs) {
    const [a, b] = [place.get(pair.run), place.get(pair.other)].sort((x, y) => x - y);
    grid.set(a * size + b, pair);
  }
  const ratio = window.devicePixelRatio || 1;
  const canvas = el('canvas', {
    id: 'matrix',
    width: size * cell * ratio,
    height: size * cell * ratio,
    role: 'img',
    'aria-label': `${size} runs, best first, against each other; the table below has the same pairs`,
  });
  canvas.style.width = `${size * cell}px`;
  const find = (event) => {
    const box = canvas.getBoundingClientRect();
    const [row, column] = [event.clientY - box.top, event.clientX - box.left].map((at) =>
      Math.floor((at / box.width) * size),
    );
    return grid.get(Math.min(row, column) * size + Math.max(row, column));
  };
  canvas.addEventListener('mousemove', (event) => {
    const pair = find(event);
    if (pair) showTip(pairWords(pair), event.clientX, event.clientY);
    else hideTip();
  });
  canvas.addEventListener('mouseleave', hideTip);
  canvas.addEventListener('click', (event) => {
    const pair = find(event);
    if (pair) compareWith(pair.run);
  });
  paint(canvas, grid, size, cell * ratio);
  const names = el(
    'ol',
    { class: 'names', hidden: !named },
    rows.map((row) => el('li', null, name(shortName(data.runs[row.run], 24)))),
  );
  names.style.lineHeight = `${cell}px`;
  return el('div', { class: 'beside' }, el('div', { class: 'matrix frame' }, names, canvas), matrixLegend(pairs));
}

// The colours of the theme as a canvas understands them: not as variables, and not for light and dark at once.
function inks() {
  const find = (name) => {
    tip.style.borderColor = `var(--${name})`;
    return getComputedStyle(tip).borderTopColor;
  };
  return {
    certain: find('certain'),
    likely: find('likely'),
    undetermined: find('open'),
    line: find('open-line'),
    none: find('wash'),
  };
}

function paint(canvas, grid, size, cell) {
  const pen = canvas.getContext('2d');
  const ink = inks();
  pen.fillStyle = ink.none;
  pen.fillRect(0, 0, size * cell, size * cell);
  const gap = cell > 8 ? 1 : 0;
  for (const [key, pair] of grid) {
    const [a, b] = [Math.floor(key / size), key % size];
    if (pair.verdict) mark(pen, b * cell, a * cell, cell - gap, pair.verdict, ink);
    mark(pen, a * cell, b * cell, cell - gap, pair.corrected_p < significant ? 'certain' : 'undetermined', ink);
  }
}

// Dark, light and crossed: told apart without colour.
function mark(pen, x, y, side, verdict, ink) {
  pen.fillStyle = ink[verdict];
  pen.fillRect(x, y, side, side);
  if (verdict !== 'undetermined') return;
  pen.strokeStyle = ink.line;
  pen.lineWidth = Math.max(1, side / 10);
  pen.beginPath();
  pen.moveTo(x + side * 0.2, y + side * 0.8);
  pen.lineTo(x + side * 0.8, y + side * 0.2);
  pen.stroke();
}

function matrixLegend(pairs) {
  const ink = inks();
  const swatch = (verdict) => {
    const canvas = el('canvas', { width: 32, height: 32 });
    canvas.style.width = '16px';
    mark(canvas.getContext('2d'), 0, 0, 32, verdict, ink);
    return canvas;
  };
  const line = (verdict, words) => el('p', { class: 'legend' }, el('span', null, swatch(verdict), words));
  const sure = pairs.filter((pair) => pair.corrected_p < significant).length;
  return el(
    'div',
    null,
    note(
      'Runs from the best (top left) to the worst. Point at a cell to read it, choose it to list the pairs of its run.',
    ),
    el('p', { class: 'note' }, el('strong', null, 'Above the diagonal: do the holes leave the order as it is?')),
    pairs.some((pair) => pair.verdict)
      ? verdicts.map((verdict) =>
          line(
            verdict,
            `${verdict}, ${whole(pairs.filter((pair) => pair.verdict === verdict).length)}: ${verdictTips[verdict]}`,
          ),
        )
      : note('Nothing is said there: this measure takes no grades for unjudged documents.'),
    el('p', { class: 'note' }, el('strong', null, 'Below: is it more than the luck of the topics?')),
    line('certain', `significant, ${whole(sure)}: corrected p below ${significant}`),
    line('undetermined', `not significant, ${whole(pairs.length - sure)}`),
  );
}

function pairWords(pair) {
  return (
    `${data.runs[pair.run]} − ${data.runs[pair.other]}: ${signed(pair.difference)} (95% interval ${range(pair.low, pair.high, signed)})\n` +
    `p ${probability(pair.p)}, corrected ${probability(pair.corrected_p)}` +
    (known(pair.corrected_p_holes) ? `, with the holes ${probability(pair.corrected_p_holes)}` : '') +
    (pair.verdict
      ? `\n${pair.verdict}: with the holes ${range(pair.worst, pair.best, signed)}, better in ${percent(pair.p_greater)} of draws`
      : '')
  );
}
