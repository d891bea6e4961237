// ---- tables that can be sorted and filtered. What somebody chose is kept when a table is made again.

const chosen = {};
const shownAtFirst = 25;
let printing = false; // then tables have all rows, since nobody can press anything on paper

// columns: {id, label, tip, text (left and sorted as text), left, get (what to sort by), show (a node or text), low (ascending first)},
// or [] for one that these rows do not have; sort: the column that rows are sorted by until somebody chooses another;
// ahead: {label, of}, rows that come before the others until somebody presses a column or says otherwise
function sortable({ id, label, columns: given, rows, sort, word = 'run', ahead }) {
  const columns = given.flat();
  const first = columns.find((column) => column.id === sort);
  const memory = chosen[id] || (chosen[id] = { sort: startOf(first), filter: '', all: false, ahead: true });
  const body = el('tbody');
  const count = el('span', { class: 'count', role: 'status' });
  const more = el('button', {
    type: 'button',
    click: () => {
      memory.all = !memory.all;
      draw();
    },
  });
  const heads = columns.map((column) => head(column, memory, draw));
  const filter = el('input', {
    type: 'search',
    'aria-label': `Filter: ${label}`,
    placeholder: `Filter ${word}s`,
    input: () => {
      memory.filter = filter.value;
      draw();
    },
  });
  filter.value = memory.filter;
  const some = ahead && rows.some(ahead.of) && !rows.every(ahead.of);
  const before = el('input', {
    type: 'checkbox',
    change: () => {
      memory.ahead = before.checked;
      draw();
    },
  });

  function draw() {
    const column = columns.find((one) => one.id === memory.sort.id) || columns[0];
    const wanted = memory.filter.trim().toLowerCase();
    const found = rows.filter((row) => !wanted || searched(row, columns).includes(wanted));
    found.sort(inOrder(column, memory.sort.down));
    if (some && memory.ahead) found.sort((a, b) => ahead.of(b) - ahead.of(a));
    before.checked = memory.ahead;
    const visible = memory.all || printing ? found : found.slice(0, shownAtFirst);
    const line = (row) => columns.map((one, i) => cell(one, row, i));
    body.replaceChildren(...visible.map((row) => el('tr', null, line(row))));
    heads.forEach((node, i) => {
      const sorted = columns[i].id === column.id ? (memory.sort.down ? 'descending' : 'ascending') : 'none';
      node.setAttribute('aria-sort', sorted);
    });
    count.textContent =
      found.length === rows.length ? counted(rows.length, word) : `${found.length} of ${counted(rows.length, word)}`;
    more.hidden = printing || found.length <= shownAtFirst;
    more.textContent = memory.all ? `Show ${shownAtFirst} only` : `Show all ${found.length}`;
  }

  draw();
  const table = el(
    'table',
    { id },
    el('caption', { class: 'unseen' }, label),
    el('thead', null, el('tr', null, heads)),
    body,
  );
  return el(
    'div',
    null,
    el(
      'div',
      { class: 'tools' },
      rows.length > 5 ? filter : null,
      count,
      some ? el('label', null, before, ` ${ahead.label}`) : null,
    ),
    el('div', { class: 'frame' }, table),
    more,
  );
}

// How a column is sorted at first.
const startOf = (column) => ({ id: column.id, down: !(column.text || column.low) });

function head(column, memory, draw) {
  const attributes = { scope: 'col', class: column.text || column.left ? 'text' : null };
  if (!column.get)
    return el('th', attributes, column.head ? column.head() : el('span', { 'data-tip': column.tip }, column.label));
  const press = () => {
    const again = memory.sort.id === column.id;
    memory.sort = again ? { id: column.id, down: !memory.sort.down } : startOf(column);
    memory.ahead = false;
    draw();
  };
  return el(
    'th',
    attributes,
    el('button', { type: 'button', 'data-tip': column.tip, click: press }, column.label),
    column.head ? column.head() : null,
  );
}

function cell(column, row, place) {
  const content = column.show
    ? column.show(row)
    : column.text
      ? name(String(column.get(row)))
      : String(column.get(row));
  const kind = column.words ? 'words' : column.text || column.left ? 'text' : null;
  return place === 0 && column.text
    ? el('th', { scope: 'row', class: 'text' }, content)
    : el('td', { class: kind }, content);
}

function searched(row, columns) {
  return columns
    .filter((column) => column.text && column.get)
    .map((column) => String(column.get(row)))
    .join('\n')
    .toLowerCase();
}

// What is not known comes last whichever way a column is sorted, so that it need not be looked for.
function inOrder(column, down) {
  return (a, b) => {
    const [x, y] = [column.get(a), column.get(b)];
    if (!known(x) || !known(y)) return known(y) - known(x);
    const order = column.text ? String(x).localeCompare(String(y), 'en', { numeric: true }) : x - y;
    return down ? -order : order;
  };
}

// ---- kinds of columns

const textColumn = (field, label, more) => ({ id: field, label, text: true, get: (row) => row[field], ...more });

// Numbers, as `show` writes them.
const numberColumn = (field, label, show, more) => ({
  id: field,
  label,
  get: (row) => row[field],
  show: (row) => show(row[field]),
  ...more,
});

const runColumn = (field = 'run', label = 'Run') =>
  textColumn(field, label, { get: (row) => data.runs[row[field]] });

const groupColumn = () =>
  data.groups ? { id: 'group', label: 'Group', text: true, get: (row) => data.groups[row.run] } : [];

// A small graphic in each line, with one axis above all of them.
const chartColumn = (low, high, width, show) => ({ id: 'chart', label: '', head: () => axis(low, high, width), show });
