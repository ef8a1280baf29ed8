// A dense table from lists. Cells are text only: what emitters send can never become markup.
(function () {
  const h = React.createElement, ui = window.peakline_ui = window.peakline_ui || {};
  const WIDTH = 84, HEIGHT = 14;

  const text = cell => String(typeof cell === 'object' && cell !== null ? cell.text || '' : cell);
  const everything = row => row.cells.map(cell => text(cell) + ' ' + (cell && cell.sub || '') + ' ' + (cell && cell.title || '')).join(' ').toLowerCase();

  // an estimate with its interval on a common scale
  function forest(points) {
    const [low, middle, high, scale] = points, x = value => 3 + Math.min(1, value / scale) * (WIDTH - 6), y = HEIGHT / 2;
    return h('svg', {className: 'forest', width: WIDTH, height: HEIGHT, viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT, 'aria-hidden': true},
      h('line', {className: 'forest-base', x1: 3, x2: WIDTH - 3, y1: y, y2: y}),
      h('line', {className: 'forest-interval', x1: x(low), x2: Math.max(x(high), x(low) + 1), y1: y, y2: y}),
      h('line', {className: 'forest-end', x1: x(low), x2: x(low), y1: 4, y2: HEIGHT - 4}),
      h('line', {className: 'forest-end', x1: x(high), x2: x(high), y1: 4, y2: HEIGHT - 4}),
      h('circle', {className: 'forest-point', cx: x(middle), cy: y, r: 3}));
  }
  function content(cell, row) {
    const inner = [];
    if (cell.actions) return ui.actions(cell, text(row.cells[0]), row.texts, row.focus);
    if (cell.icon) inner.push(h(ui.Icon, {key: 'i', name: cell.icon}));
    inner.push(cell.href
      ? h('a', {key: 't', href: cell.href, onClick: ui.follow}, cell.text)
      : h('span', {key: 't'}, cell.text));
    if (cell.forest) inner.push(h(React.Fragment, {key: 'f'}, forest(cell.forest)));
    if (cell.sub) inner.push(h('small', {key: 's'}, cell.sub));
    return inner;
  }
  function Cell(props) {
    const cell = typeof props.cell === 'object' && props.cell !== null ? props.cell : {text: props.cell};
    const classes = [props.column.align === 'right' ? 'right' : '', cell.tone || ''].join(' ').trim();
    return h(props.isHead ? 'th' : 'td', {className: classes || undefined, title: cell.title, scope: props.isHead ? 'row' : undefined}, content(cell, props.row));
  }
  ui.Table = function (props) {
    const columns = props.columns || [], place = React.useRef(null), [wanted, setWanted] = React.useState('');
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean), all = props.rows || [];
    const rows = words.length ? all.filter(row => words.every(word => everything(row).includes(word))) : all;
    const focus = () => { if (place.current) place.current.focus(); };
    const table = h('div', {className: 'table-scroll', id: props.id, ref: place, tabIndex: 0, role: 'region', 'aria-label': props.caption},
      h('table', {className: 'table'}, h('caption', {className: 'unseen'}, props.caption),
        h('thead', null, h('tr', null, columns.map((column, i) =>
          h('th', {key: i, scope: 'col', title: column.title, className: column.align === 'right' ? 'right' : undefined}, column.text)))),
        h('tbody', null, rows.length === 0
          ? h('tr', null, h('td', {colSpan: columns.length, className: 'nothing'}, props.empty))
          : rows.map((row, r) => h('tr', {key: r, className: row.tone}, row.cells.map((cell, i) =>
            h(Cell, {key: i, cell: cell, row: {cells: row.cells, texts: props.texts, focus: focus}, column: columns[i] || {}, isHead: i === 0})))))));
    if (!props.filter) return table;
    return h('div', {className: 'filtered'}, h('label', {className: 'control'}, h('span', null, props.filter),
      h('input', {type: 'search', value: wanted, spellCheck: false, autoComplete: 'off', onChange: event => setWanted(event.target.value)})),
    h('span', {className: 'fine', role: 'status'}, rows.length + ' / ' + all.length), table);
  };
})();
