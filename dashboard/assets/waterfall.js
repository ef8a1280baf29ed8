// Spans of a trace on one time axis. Data are columns; only the rows in sight are drawn, so 10,000 spans stay light.
(function () {
  const h = React.createElement, ui = window.peakline_ui = window.peakline_ui || {};
  const ROW = 24, SPARE = 8, SELECT_AFTER_MS = 120, TICKS = 5;

  const duration = ms => ms === null ? '?' : ms < 1 ? (ms * 1e3).toFixed(0) + ' µs' : ms < 1e3 ? ms.toFixed(ms < 100 ? 1 : 0) + ' ms' : (ms / 1e3).toFixed(2) + ' s';
  const share = (ms, total) => (total > 0 ? ms / total * 100 : 0).toFixed(3) + '%';

  function children(parents) {
    const found = new Map();
    parents.forEach((parent, i) => { if (!found.has(parent)) found.set(parent, []); found.get(parent).push(i); });
    return found;
  }
  function visibleRows(kids, folded) {
    const rows = [], stack = (kids.get(-1) || []).slice().reverse();
    while (stack.length) {
      const i = stack.pop();
      rows.push(i);
      if (!folded.has(i)) (kids.get(i) || []).slice().reverse().forEach(child => stack.push(child));
    }
    return rows;
  }
  function Ruler(props) {
    const marks = Array.from({length: TICKS + 1}, (_, i) => i / TICKS);
    return h('div', {className: 'wf-ruler', 'aria-hidden': true}, h('div', {className: 'wf-name'}, props.head),
      h('div', {className: 'wf-track'}, marks.map(at => h('span', {key: at, style: at === 1 ? {right: 0} : {left: at * 100 + '%'}}, duration(at * props.total)))));
  }
  function Bar(props) {
    const d = props.data, i = props.index, length = d.length_ms[i], left = share(d.start_ms[i], d.total_ms);
    if (length === null) return h('div', {className: 'wf-open', style: {left: left}, title: props.texts.open});
    const pieces = (d.phases[i] || []).map((phase, k) => h('i', {key: 'p' + k, className: 'wf-phase wf-phase-' + phase[0], title: props.texts[phase[0]] + ' ' + duration(phase[2]),
      style: {left: share(phase[1], length), width: share(phase[2], length)}}));
    const gaps = (d.gaps[i] || []).map((gap, k) => h('i', {key: 'g' + k, className: 'wf-gap', title: props.texts.gap + ' ' + duration(gap[1]),
      style: {left: share(gap[0], length), width: share(gap[1], length)}}));
    return h('div', {className: 'wf-bar' + (d.is_error[i] ? ' is-error' : '') + (d.is_own[i] ? '' : ' is-foreign'), style: {left: left, width: share(length, d.total_ms), '--span': d.colours[d.service[i]]}}, pieces, gaps);
  }
  function Row(props) {
    const d = props.data, i = props.index, hasKids = props.kids.has(i), end = d.start_ms[i] + (d.length_ms[i] || 0);
    const label = duration(d.length_ms[i]), isAfter = end / d.total_ms < 0.88, isBefore = !isAfter && d.start_ms[i] / d.total_ms > 0.12;
    return h('div', {id: 'wf-row-' + i, role: 'treeitem', className: 'wf-row' + (props.isSelected ? ' is-selected' : ''), 'aria-level': d.depth[i] + 1,
      'aria-selected': props.isSelected, 'aria-expanded': hasKids ? !props.isFolded : undefined, 'aria-setsize': props.size, 'aria-posinset': props.place + 1,
      'aria-label': d.name[i] + ', ' + d.services[d.service[i]] + ', ' + label, onClick: () => props.onPick(i)},
    h('div', {className: 'wf-name', style: {paddingLeft: 6 + 14 * Math.min(d.depth[i], 12) + 'px'}, title: d.name[i] + ' · ' + d.services[d.service[i]]},
      h('span', {className: 'wf-caret', onClick: event => { event.stopPropagation(); if (hasKids) props.onFold(i); }}, hasKids ? (props.isFolded ? '▸' : '▾') : ''),
      h('span', {className: 'wf-dot', style: {background: d.colours[d.service[i]]}}),
      d.is_error[i] ? h(ui.Icon, {name: 'warn', className: 'wf-error'}) : null,
      h('b', null, d.name[i]), d.role[i] ? h('em', null, d.role[i]) : null),
    h('div', {className: 'wf-track'}, h(Bar, {data: d, index: i, texts: props.texts}),
      h('span', {className: 'wf-label' + (isAfter || isBefore ? '' : ' is-inside'), style: isAfter ? {left: share(end, d.total_ms)} : {right: share(Math.max(0, d.total_ms - (isBefore ? d.start_ms[i] : end)), d.total_ms)}}, label)));
  }

  ui.Waterfall = function (props) {
    const d = props.data, scroller = React.useRef(null), later = React.useRef(0);
    const [folded, setFolded] = React.useState(() => new Set(d.folded || []));
    const [current, setCurrent] = React.useState(() => Math.max(0, d.id.indexOf(props.selected)));
    const [view, setView] = React.useState({top: 0, height: 480});
    const kids = React.useMemo(() => children(d.parent), [d]);
    const rows = React.useMemo(() => visibleRows(kids, folded), [kids, folded]);
    React.useEffect(() => { setFolded(new Set(d.folded || [])); setCurrent(Math.max(0, d.id.indexOf(props.selected))); }, [d]);
    React.useLayoutEffect(function () {
      const box = scroller.current, measure = () => setView({top: box.scrollTop, height: box.clientHeight});
      const watcher = new ResizeObserver(measure);
      watcher.observe(box);
      return () => watcher.disconnect();
    }, []);

    const pick = function (i) {
      setCurrent(i);
      clearTimeout(later.current);
      later.current = setTimeout(() => props.setProps({selected: d.id[i]}), SELECT_AFTER_MS);
    };
    const fold = function (i, shouldFold) {
      const next = new Set(folded);
      if (shouldFold === undefined ? !folded.has(i) : shouldFold) next.add(i); else next.delete(i);
      setFolded(next);
    };
    const reveal = function (place) {
      const box = scroller.current, top = place * ROW;
      if (top < box.scrollTop) box.scrollTop = top;
      if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    };
    const move = function (place) { const at = Math.max(0, Math.min(rows.length - 1, place)); reveal(at); pick(rows[at]); };
    const press = function (event) {
      const place = rows.indexOf(current), hasKids = kids.has(current), parent = d.parent[current];
      const acts = {
        ArrowDown: () => move(place + 1), ArrowUp: () => move(place - 1), Home: () => move(0), End: () => move(rows.length - 1),
        PageDown: () => move(place + Math.floor(view.height / ROW)), PageUp: () => move(place - Math.floor(view.height / ROW)),
        ArrowRight: () => { if (hasKids && folded.has(current)) fold(current, false); else if (hasKids) move(place + 1); },
        ArrowLeft: () => { if (hasKids && !folded.has(current)) fold(current, true); else if (parent >= 0) move(rows.indexOf(parent)); },
        e: () => { for (let k = 1; k <= rows.length; k++) { const at = (place + k) % rows.length; if (d.is_error[rows[at]]) { move(at); return; } } }
      };
      const act = acts[event.key];
      if (!act || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    const first = Math.max(0, Math.floor(view.top / ROW) - SPARE), last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + SPARE);
    const drawn = [];
    for (let place = first; place < last; place++) {
      const i = rows[place], siblings = kids.get(d.parent[i]) || [];
      drawn.push(h(Row, {key: i, data: d, index: i, kids: kids, isFolded: folded.has(i), isSelected: i === current, size: siblings.length, place: siblings.indexOf(i), texts: props.texts, onPick: pick, onFold: fold}));
    }
    const inSight = rows.indexOf(current) >= first && rows.indexOf(current) < last;
    return h('div', {className: 'wf', id: props.id}, h(Ruler, {total: d.total_ms, head: props.texts.head}),
      h('div', {className: 'wf-scroll', ref: scroller, role: 'tree', tabIndex: 0, 'aria-label': props.texts.tree, 'aria-activedescendant': inSight ? 'wf-row-' + current : undefined,
        onKeyDown: press, onScroll: event => setView({top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight}),
        style: {height: Math.min(rows.length * ROW + 2, 480) + 'px'}},
      h('div', {role: 'none', style: {height: rows.length * ROW + 'px', position: 'relative'}},
        h('div', {role: 'none', style: {transform: 'translateY(' + first * ROW + 'px)'}}, drawn))));
  };
})();
