// A dense table from lists. Cells are text only: what emitters send can never become markup.
(function () {
  const h = React.createElement, ui = window.peakline_ui = window.peakline_ui || {};
  const WIDTH = 84, HEIGHT = 14;

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
  function content(cell) {
    const inner = [];
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
    return h(props.isHead ? 'th' : 'td', {className: classes || undefined, title: cell.title, scope: props.isHead ? 'row' : undefined}, content(cell));
  }
  ui.Table = function (props) {
    const columns = props.columns || [], rows = props.rows || [];
    return h('div', {className: 'table-scroll', id: props.id, tabIndex: 0, role: 'region', 'aria-label': props.caption},
      h('table', {className: 'table'}, h('caption', {className: 'unseen'}, props.caption),
        h('thead', null, h('tr', null, columns.map((column, i) =>
          h('th', {key: i, scope: 'col', title: column.title, className: column.align === 'right' ? 'right' : undefined}, column.text)))),
        h('tbody', null, rows.length === 0
          ? h('tr', null, h('td', {colSpan: columns.length, className: 'nothing'}, props.empty))
          : rows.map((row, r) => h('tr', {key: r, className: row.tone}, row.cells.map((cell, i) =>
            h(Cell, {key: i, cell: cell, column: columns[i] || {}, isHead: i === 0})))))));
  };
})();
