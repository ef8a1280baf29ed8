// Who is logged in, and what happens when that ends: no answer of the server is lost without a word.
(function () {
  const h = React.createElement, ui = window.peakline_ui = window.peakline_ui || {};
  const CSRF_COOKIE = 'peakline_csrf', CSRF_HEADER = 'X-CSRF-Token', SCHEME_KEY = 'mantine-color-scheme-value';

  ui.cookie = function (name) {
    const found = document.cookie.split('; ').find(pair => pair.startsWith(name + '='));
    return found ? decodeURIComponent(found.slice(name.length + 1)) : '';
  };

  // ---- the end of a session: to the log-in once, and back to this address after it
  let isLeaving = false;
  const leave = function () {
    if (isLeaving) return;
    isLeaving = true;
    location.assign('/login?next=' + encodeURIComponent(location.pathname + location.search));
  };
  addEventListener('pageshow', event => { if (event.persisted) isLeaving = false; });
  const detailOf = answer => answer.json().then(problem => String(problem.detail || ''), () => '');
  const plain = window.fetch.bind(window);
  window.fetch = async function (asked, options) {
    const answer = await plain(asked, options);
    const url = new URL(asked instanceof Request ? asked.url : asked, location.href);
    if (url.origin !== location.origin) return answer;
    const isCallback = url.pathname.startsWith('/_dash-');
    if (answer.status === 401 && (isCallback || url.pathname.startsWith('/api/'))) {
      leave();
      return new Promise(() => {});  // what is on the screen stays until the log-in is there
    }
    if (answer.status !== 403 || !isCallback) return answer;
    dispatchEvent(new CustomEvent('peakline-refused', {detail: await detailOf(answer)}));
    return new Response(null, {status: 204});  // as if nothing had to be drawn: the page stays
  };

  // ---- one way to ask the API for a change
  ui.ask = async function (method, path, body) {
    const headers = {Accept: 'application/json'}, csrf = ui.cookie(CSRF_COOKIE);
    if (csrf) headers[CSRF_HEADER] = csrf;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const answer = await fetch(path, {method: method, headers: headers, credentials: 'same-origin', body: body === undefined ? undefined : JSON.stringify(body)});
    const told = await answer.json().catch(() => ({}));
    return {isGood: answer.ok, told: told};
  };
  ui.told = function () { dispatchEvent(new CustomEvent('peakline-changed')); };
  ui.Changed = function (props) {
    const now = React.useRef(props);
    now.current = props;
    React.useEffect(function () {
      const count = () => now.current.setProps({count: (now.current.count || 0) + 1});
      addEventListener('peakline-changed', count);
      return () => removeEventListener('peakline-changed', count);
    }, []);
    return null;
  };

  // ---- a callback that was refused says so above the page
  ui.Refusals = function (props) {
    const [detail, setDetail] = React.useState(null);
    React.useEffect(function () {
      const show = event => setDetail(event.detail);
      addEventListener('peakline-refused', show);
      return () => removeEventListener('peakline-refused', show);
    }, []);
    const texts = props.texts[document.documentElement.lang] || props.texts.en;
    return h('div', {id: props.id, role: 'alert'}, detail === null ? null : h('div', {className: 'message message-bad refusal'},
      h(ui.Icon, {name: 'block'}), h('div', null, h('strong', null, texts.title), h('div', null, detail || texts.text)),
      h('button', {type: 'button', className: 'button', onClick: () => setDetail(null)}, texts.dismiss)));
  };

  // ---- who is logged in
  ui.AccountMenu = function (props) {
    const [isOpen, setOpen] = React.useState(false), place = React.useRef(null);
    React.useEffect(function () {
      if (!isOpen) return undefined;
      const away = event => { if (!place.current.contains(event.target)) setOpen(false); };
      addEventListener('pointerdown', away, true);
      addEventListener('focusin', away, true);
      return () => { removeEventListener('pointerdown', away, true); removeEventListener('focusin', away, true); };
    }, [isOpen]);
    const key = function (event) {
      if (event.key !== 'Escape' || !isOpen) return;
      setOpen(false);
      place.current.querySelector('button').focus();
    };
    const follow = function (event) { setOpen(false); ui.follow(event); };
    const fill = function (event) { event.currentTarget.elements.csrf.value = ui.cookie(CSRF_COOKIE); };
    const inner = !isOpen ? null : h('div', {className: 'account-menu', id: props.id + '-menu'},
      h('a', {href: props.settings, onClick: follow}, h(ui.Icon, {name: 'settings'}), props.texts.settings),
      h('form', {method: 'post', action: '/logout', onSubmit: fill}, h('input', {type: 'hidden', name: 'csrf', defaultValue: ''}),
        h('button', {type: 'submit'}, h(ui.Icon, {name: 'leave'}), props.texts.log_out)));
    return h('div', {className: 'account', id: props.id, ref: place, onKeyDown: key},
      h('button', {type: 'button', className: 'account-name', 'aria-expanded': isOpen, 'aria-controls': props.id + '-menu', title: props.texts.menu, onClick: () => setOpen(!isOpen)},
        h(ui.Icon, {name: 'person'}), h('b', null, props.name), h('span', null, props.role)), inner);
  };

  // ---- light, dark or as the system is; Mantine listens to what another tab would store
  ui.ThemeChoice = function (props) {
    const read = function () { try { return localStorage.getItem(SCHEME_KEY) || 'auto'; } catch (refused) { return 'auto'; } };
    const [chosen, setChosen] = React.useState(read);
    React.useEffect(function () {  // the button in the top bar changes the same
      const watch = new MutationObserver(() => setChosen(read()));
      watch.observe(document.documentElement, {attributeFilter: ['data-mantine-color-scheme']});
      return () => watch.disconnect();
    }, []);
    const choose = function (value) {
      try { localStorage.setItem(SCHEME_KEY, value); } catch (refused) { /* it holds until the page is left */ }
      dispatchEvent(new StorageEvent('storage', {key: SCHEME_KEY, newValue: value, storageArea: localStorage}));
      setChosen(value);
    };
    return h('fieldset', {id: props.id, className: 'theme'}, h('legend', {className: 'legend-text'}, props.label), props.options.map(option =>
      h('label', {key: option.value}, h('input', {type: 'radio', name: props.id, value: option.value, checked: chosen === option.value, onChange: () => choose(option.value)}), option.text)));
  };
})();
