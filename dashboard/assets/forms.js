// Forms that ask the API: labelled inputs, a pending and an error state, and secrets that are shown once and kept nowhere.
(function () {
  const h = React.createElement, ui = window.peakline_ui = window.peakline_ui || {};
  const DAY_MS = 86400000;
  let forms = 0;

  // ---- inputs; `value` and `set` are those of one field
  const hint = (id, text) => text ? h('small', {id: id, className: 'form-help'}, text) : null;
  const line = (field, id, value, set) => h('input', {id: id, name: field.name, type: field.kind, value: value, required: field.required, spellCheck: false,
    autoComplete: field.autocomplete || 'off', 'aria-describedby': field.help ? id + '-help' : undefined, onChange: event => set(event.target.value)});
  const select = (options, id, value, set) => h('select', {id: id, value: value, onChange: event => set(event.target.value)},
    options.map(option => h('option', {key: option.value, value: option.value}, option.text)));
  const tenants = (field, id, value, set) => h('div', {className: 'form-tenants'},
    h('label', {className: 'form-check'}, h('input', {type: 'checkbox', checked: value.all, onChange: event => set({...value, all: event.target.checked})}), field.texts.all),
    value.all ? null : h('textarea', {id: id, rows: 3, value: value.lines, spellCheck: false, 'aria-label': field.label, 'aria-describedby': id + '-help', onChange: event => set({...value, lines: event.target.value})}),
    value.all ? null : hint(id + '-help', field.texts.help));
  const expiry = (field, id, value, set) => h('div', {className: 'form-expiry'}, select(field.options, id, value.choice, choice => set({...value, choice: choice})),
    value.choice !== 'date' ? null : h('input', {type: 'date', required: true, value: value.date, 'aria-label': field.texts.date, onChange: event => set({...value, date: event.target.value})}));
  const INPUTS = {text: line, password: line, select: (field, id, value, set) => select(field.options, id, value, set), tenants: tenants, expiry: expiry};

  const first = function (field) {
    if (field.kind === 'tenants') return {all: field.value === null || field.value === undefined, lines: (field.value || []).join('\n')};
    if (field.kind === 'expiry') return {choice: field.value, date: ''};
    return field.value || '';
  };
  const sent = function (field, value) {
    if (field.kind === 'tenants') return value.all ? null : value.lines.split('\n').map(one => one.trim()).filter(Boolean);
    if (field.kind !== 'expiry') return value;
    if (value.choice === 'never') return null;
    return value.choice === 'date' ? value.date + 'T23:59:59Z' : new Date(Date.now() + Number(value.choice) * DAY_MS).toISOString().slice(0, 19) + 'Z';
  };
  const empty = fields => Object.fromEntries(fields.map(field => [field.name, first(field)]));
  const sentence = function (told, otherwise) {
    const parts = (told.errors || []).map(one => one.field + ': ' + one.message);
    return [told.detail || otherwise].concat(parts).join(' ');
  };

  // one form in its place or in a dialog; `onDone` gets the answer
  function Form(props) {
    const [number] = React.useState(() => ++forms), fields = props.fields || [];
    const [values, setValues] = React.useState(() => empty(fields));
    const [state, setState] = React.useState({});
    const submit = async function (event) {
      event.preventDefault();
      if (state.isPending) return;
      const unequal = fields.find(field => field.same_as && values[field.name] !== values[field.same_as]);
      if (unequal) { setState({error: props.texts.unequal}); return; }
      const body = {...(props.fixed || {})};
      fields.filter(field => !field.same_as).forEach(field => { body[field.name] = sent(field, values[field.name]); });
      setState({isPending: true});
      const answer = await ui.ask(props.method, props.path, Object.keys(body).length ? body : undefined).catch(() => null);
      if (answer && answer.isGood) { setValues(empty(fields)); setState({done: props.texts.done}); props.onDone(answer.told); return; }
      setState({error: answer ? sentence(answer.told, props.texts.refused) : props.texts.unreachable});
    };
    const inputs = fields.map(function (field) {
      const id = 'form-' + number + '-' + field.name, isGroup = field.kind === 'tenants';
      return h('div', {key: field.name, className: 'form-row', role: isGroup ? 'group' : undefined, 'aria-label': isGroup ? field.label : undefined},
        isGroup ? h('span', {className: 'form-label'}, field.label) : h('label', {className: 'form-label', htmlFor: id}, field.label),
        h('div', {className: 'form-input'}, INPUTS[field.kind](field, id, values[field.name], value => setValues({...values, [field.name]: value})), hint(id + '-help', field.help)));
    });
    return h('form', {className: 'form', id: props.id, onSubmit: submit, 'aria-busy': Boolean(state.isPending)}, inputs,
      h('p', {className: 'form-error', role: 'alert'}, state.error || ''),
      h('div', {className: 'form-end'},
        h('button', {type: 'submit', className: 'button ' + (props.isDanger ? 'is-danger' : 'is-first'), 'aria-disabled': Boolean(state.isPending)}, state.isPending ? props.texts.pending : props.submit),
        props.onCancel ? h('button', {type: 'button', className: 'button', onClick: props.onCancel}, props.texts.cancel) : null,
        h('span', {className: 'form-done', role: 'status'}, state.done || '')));
  }

  // the text of a new token: here and now only
  function Revealed(props) {
    const box = React.useRef(null);
    React.useEffect(() => { box.current.focus(); }, []);
    return h('div', {className: 'message message-once', ref: box, tabIndex: -1, role: 'group', 'aria-label': props.texts.made}, h(ui.Icon, {name: 'warn'}),
      h('div', null, h('strong', null, props.texts.made), h('div', null, props.texts.once),
        h(ui.CopyText, {text: props.text, block: true, texts: props.texts}),
        h('button', {type: 'button', className: 'button', onClick: props.onDismiss}, props.texts.dismiss)));
  }
  ui.ApiForm = function (props) {
    const [text, setText] = React.useState('');
    const done = function (told) { if (props.reveal && told.text) setText(told.text); ui.told(); };
    return h('div', {className: 'api-form'}, h(Form, {...props, onDone: done}),
      text ? h(Revealed, {text: text, texts: props.reveal, onDismiss: () => setText('')}) : null);
  };

  // a button in a row of a table: it asks in a dialog first
  function Dialog(props) {
    const place = React.useRef(null), [number] = React.useState(() => ++forms);
    React.useEffect(() => { place.current.showModal(); }, []);
    return h('dialog', {ref: place, className: 'dialog', 'aria-labelledby': 'dialog-' + number, onClose: props.onClose, onKeyDown: event => event.stopPropagation()},
      h('h3', {id: 'dialog-' + number}, props.question), props.children(() => place.current.close()));
  }
  function Action(props) {
    const [isOpen, setOpen] = React.useState(false), action = props.action;
    const done = function () { setOpen(false); props.onDone(); ui.told(); };
    return h(React.Fragment, null,
      h('button', {type: 'button', className: 'row-action' + (action.is_danger ? ' is-danger' : ''), 'aria-label': action.text + ': ' + props.about, onClick: () => setOpen(true)}, action.text),
      !isOpen ? null : h(Dialog, {question: action.question, onClose: () => setOpen(false), children: close =>
        h(Form, {method: action.method, path: action.path, fields: action.fields, fixed: action.fixed, submit: action.text, isDanger: action.is_danger, texts: props.texts, onDone: done, onCancel: close})}));
  }
  ui.actions = function (cell, about, texts, onDone) {
    return cell.actions.map((action, i) => h(Action, {key: i + action.method + action.path + action.text, action: action, about: about, texts: texts, onDone: onDone}));
  };
})();
