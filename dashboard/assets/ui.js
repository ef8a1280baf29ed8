// Small components of the pages and the one way to change the address. Texts come from the server.
(function () {
  const h = React.createElement;
  const ui = window.peakline_ui = window.peakline_ui || {};

  // ---- the address: every control changes it here, and Dash's router reads it
  ui.go = function (href) {
    if (href === location.pathname + location.search) return;
    history.pushState({}, '', href);
    window.dispatchEvent(new CustomEvent('_dashprivate_pushstate'));
  };
  ui.change = function (changes) {
    const url = new URL(location.href);
    url.searchParams.delete('cursor');
    for (const [name, value] of Object.entries(changes)) {
      if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
    }
    ui.go(url.pathname + url.search);
  };
  ui.follow = function (event) {
    const link = event.currentTarget;
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.target || link.origin !== location.origin) return;
    event.preventDefault();
    ui.go(link.pathname + link.search);
    window.scrollTo(0, 0);
  };
  ui.remember = function (name, value) {
    document.cookie = name + '=' + encodeURIComponent(value) + '; path=/; max-age=31536000; samesite=lax';
  };

  // ---- icons: 16 px, one stroke
  const PATHS = {
    overview: 'M1.5 13.5h13M2.5 11l3-4 3 2 5-6',
    requests: 'M2 3.5h12M2 8h12M2 12.5h8',
    alerts: 'M8 2a4 4 0 0 0-4 4v3L2.8 11.5h10.4L12 9V6a4 4 0 0 0-4-4zM6.5 13.8h3',
    setup: 'M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9V8a4.5 4.5 0 0 1-9 0zM8 12.5V15',
    health: 'M1.5 8.5h3l2-5 3 9 2-4h3',
    settings: 'M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 2.7a1.8 1.8 0 1 0 .01 0M5 9.7a1.8 1.8 0 1 0 .01 0',
    person: 'M8 2.2a2.9 2.9 0 1 0 .01 0M2.6 14a5.4 5.4 0 0 1 10.8 0',
    leave: 'M6.5 2.5h-4v11h4M6.5 8h7.5M11 5l3 3-3 3',
    ok: 'M3 8.5l3.2 3.2L13 4.8',
    fail: 'M4 4l8 8M12 4l-8 8',
    clock: 'M8 2a6 6 0 1 0 .01 0M8 4.8V8l2.4 1.6',
    stop: 'M4 4h8v8H4z',
    block: 'M8 2a6 6 0 1 0 .01 0M3.8 3.8l8.4 8.4',
    unknown: 'M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12.2v.2',
    warn: 'M8 2.2l6.4 11.3H1.6zM8 6.6v3.2M8 11.6v.2',
    bell: 'M8 2a4 4 0 0 0-4 4v3L2.8 11.5h10.4L12 9V6a4 4 0 0 0-4-4z',
    dot: 'M8 6.4a1.6 1.6 0 1 0 .01 0',
    copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
    left: 'M10 3L5 8l5 5',
    right: 'M6 3l5 5-5 5',
    out: 'M7 2.5a4.5 4.5 0 1 0 .01 0M5 7h4M10.4 10.4L14 14',
    reset: 'M3 8a5 5 0 1 1 1.6 3.7M3 12V8.6h3.4',
    pause: 'M5.5 3v10M10.5 3v10',
    play: 'M4.5 3l8 5-8 5z',
    sun: 'M8 5a3 3 0 1 0 .01 0M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M13 3l-1.2 1.2M4.2 11.8L3 13',
    moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z'
  };
  ui.Icon = function (props) {
    return h('svg', {viewBox: '0 0 16 16', className: 'icon ' + (props.className || ''), 'aria-hidden': true, focusable: false},
      h('path', {d: PATHS[props.name] || PATHS.dot}));
  };

  // ---- title, language, remembered choices, focus on navigation
  ui.PageMeta = function (props) {
    const first = React.useRef(true);
    React.useEffect(function () {
      document.title = props.title;
      document.documentElement.lang = props.lang;
      window.peakline_tz = props.tz;
      ui.remember('peakline_lang', props.lang.slice(0, 2));
      ui.remember('peakline_tz', props.tz);
    });
    React.useEffect(function () {
      if (!first.current) { const main = document.getElementById('main'); if (main) main.focus({preventScroll: true}); }
      first.current = false;
    }, [props.path]);
    return null;
  };

  // ---- controls that write the address
  ui.QuerySelect = function (props) {
    return h('label', {className: 'control'}, h('span', null, props.label),
      h('select', {id: props.id, value: props.chosen, onChange: event => ui.change(props.options[event.target.value].set)},
        props.options.map((option, i) => h('option', {key: i, value: i}, option.text))));
  };
  ui.QueryInput = function (props) {
    const commit = function (event) {
      const value = event.target.value.trim();
      if (value !== (props.value || '')) ui.change({[props.param]: value});
    };
    return h('label', {className: 'control'}, h('span', null, props.label),
      h('input', {id: props.id, key: props.value || '', type: 'text', defaultValue: props.value || '', placeholder: props.placeholder,
        spellCheck: false, autoComplete: 'off', onBlur: commit, onKeyDown: event => { if (event.key === 'Enter') commit(event); }}));
  };
  ui.TimeWindow = function (props) {
    const SHAPE = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)Z?$/;
    const instant = function (text) {
      const found = SHAPE.exec(text.trim());
      return found ? new Date(found[1] + 'T' + found[2] + (props.is_utc || text.trim().endsWith('Z') ? 'Z' : '')) : new Date(NaN);
    };
    const submit = function (event) {
      event.preventDefault();
      const fields = event.currentTarget.elements, from = instant(fields.from.value), to = instant(fields.to.value);
      const isGood = from < to, wrong = isNaN(from) ? fields.from : fields.to;
      if (isGood) { ui.change({from: from.toISOString().slice(0, 19) + 'Z', to: to.toISOString().slice(0, 19) + 'Z'}); return; }
      wrong.setCustomValidity(props.texts.wrong);
      wrong.reportValidity();
    };
    const input = (name, value, label) => h('label', {className: 'control'}, h('span', {className: 'unseen'}, label),
      h('input', {key: value, name: name, type: 'text', defaultValue: value, title: label, placeholder: 'YYYY-MM-DD hh:mm', spellCheck: false, autoComplete: 'off', onInput: event => event.target.setCustomValidity('')}));
    return h('form', {className: 'time-window', onSubmit: submit, noValidate: true},
      input('from', props.start, props.texts.from), h('span', {'aria-hidden': true}, '–'), input('to', props.end, props.texts.to),
      h('button', {type: 'submit', className: 'button'}, props.texts.apply));
  };

  // ---- live refresh: at most one question under way, none while nobody looks
  const STUCK_MS = 30000;
  let pointerIsDown = false;
  addEventListener('pointerdown', () => { pointerIsDown = true; }, true);
  ['pointerup', 'pointercancel', 'blur'].forEach(kind => addEventListener(kind, () => { pointerIsDown = false; }, true));
  ui.Ticker = function (props) {
    const now = React.useRef(props);
    now.current = props;
    const asked = React.useRef(Date.now());
    const [isPaused, setPaused] = React.useState(false);
    const [isLate, setLate] = React.useState(false);
    React.useEffect(function () {
      asked.current = Date.now();
      if (isPaused) return undefined;
      const timer = setInterval(function () {
        const at = Date.now(), own = now.current, waited = at - asked.current;
        const isUnderWay = (own.tick || 0) !== (own.done || 0);
        setLate(isUnderWay && waited > 5000);
        if (document.hidden || pointerIsDown || waited < own.period_s * 1000 || (isUnderWay && waited < STUCK_MS)) return;
        asked.current = at;
        own.setProps({tick: (own.tick || 0) + 1});
      }, 500);
      return () => clearInterval(timer);
    }, [isPaused, props.period_s]);
    const text = isPaused ? props.texts.paused : isLate ? props.texts.late : props.texts.live;
    return h('button', {id: props.id, type: 'button', className: 'ticker' + (isPaused ? ' is-paused' : isLate ? ' is-late' : ''), 'aria-pressed': isPaused,
      title: isPaused ? props.texts.resume : props.texts.pause, onClick: () => setPaused(!isPaused)},
    h('span', {className: 'ticker-dot'}), text, h(ui.Icon, {name: isPaused ? 'play' : 'pause'}));
  };

  // ---- copy
  const copy = async function (text) {
    try { await navigator.clipboard.writeText(text); return true; } catch (refused) {
      const area = document.createElement('textarea');
      area.value = text; document.body.append(area); area.select();
      const done = document.execCommand('copy'); area.remove(); return done;
    }
  };
  ui.CopyText = function (props) {
    const [isCopied, setCopied] = React.useState(false);
    const press = async function () { if (await copy(props.text)) { setCopied(true); setTimeout(() => setCopied(false), 1500); } };
    const button = h('button', {type: 'button', className: 'copy', onClick: press, 'aria-label': props.texts.copy + ': ' + props.text.slice(0, 40), title: props.texts.copy},
      h(ui.Icon, {name: isCopied ? 'ok' : 'copy'}), h('span', {className: 'copy-done', role: 'status'}, isCopied ? props.texts.copied : ''));
    return props.block
      ? h('div', {className: 'copy-block', id: props.id}, h('pre', {tabIndex: 0}, h('code', null, props.text)), button)
      : h('span', {className: 'copy-line', id: props.id}, h('code', null, props.shown || props.text), button);
  };

  // ---- drag-zoom on a time chart becomes the page's window
  const SHORTEST_MS = 60000;
  window.dash_clientside = Object.assign({}, window.dash_clientside, {peakline: {zoom: function () {
    const none = window.dash_clientside.no_update, fired = window.dash_clientside.callback_context.triggered[0], change = fired && fired.value;
    if (!change) return none;
    if (change['xaxis.autorange'] && /[?&]from=/.test(location.search)) ui.change({from: null, to: null});
    if (change['xaxis.range[0]'] === undefined) return none;
    const instant = text => { const iso = String(text).replace(' ', 'T').slice(0, 19); return new Date(window.peakline_tz === 'local' ? iso : iso + 'Z').getTime(); };
    let from = instant(change['xaxis.range[0]']), to = instant(change['xaxis.range[1]']);
    if (to - from < SHORTEST_MS) { const middle = (from + to) / 2; from = middle - SHORTEST_MS / 2; to = middle + SHORTEST_MS / 2; }
    const text = at => new Date(at).toISOString().slice(0, 19) + 'Z';
    ui.change({from: text(from), to: text(to)});
    return none;
  }}});

  // ---- keys: g then a letter goes to a page; nothing is taken while somebody types
  let prefixAt = 0;
  addEventListener('keydown', function (event) {
    if (event.metaKey || event.ctrlKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (event.key === 'g') { prefixAt = Date.now(); return; }
    if (Date.now() - prefixAt > 1200) return;
    prefixAt = 0;
    const link = Array.from(document.querySelectorAll('nav a')).find(entry => entry.querySelector('kbd')?.textContent === 'g ' + event.key);
    if (link) { event.preventDefault(); link.click(); }
  });
})();
