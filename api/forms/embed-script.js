/** Renders a form of the service in a page, without inline styles or scripts, so it works under a strict CSP. */
(() => {
  const script = document.currentScript;
  const base = new URL(script.src);
  const formUrl = base.href.replace(/\/script(\?.*)?$/, '');
  const INPUTS = {
    email: 'email',
    number: 'number',
    phone: 'tel',
    url: 'url',
    date: 'date',
    time: 'time',
    datetime: 'datetime-local',
    rating: 'number',
    checkbox: 'checkbox',
    consent: 'checkbox',
    hidden: 'hidden',
  };

  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  const control = (field, id) => {
    const shared = { id, name: field.name, required: field.required };
    if (field.placeholder) shared.placeholder = field.placeholder;
    if (field.minLength !== null) shared.minLength = field.minLength;
    if (field.maxLength !== null) shared.maxLength = field.maxLength;
    if (field.type === 'textarea') return make('textarea', { ...shared, rows: 4, value: field.defaultValue ?? '' });
    if (field.type === 'select' || field.type === 'multiselect') {
      const options = (field.options ?? []).map((option) =>
        make('option', {
          value: option.value,
          textContent: option.label,
          defaultSelected: option.value === field.defaultValue,
        }),
      );
      if (field.type === 'select') options.unshift(make('option', { value: '' }));
      return make('select', { ...shared, multiple: field.type === 'multiselect' }, ...options);
    }
    const type = INPUTS[field.type] ?? 'text';
    if (type === 'checkbox')
      return make('input', {
        id,
        name: field.name,
        required: field.required,
        type,
        value: 'true',
        checked: field.defaultValue === 'true',
      });
    if (field.validationRegex) shared.pattern = field.validationRegex;
    return make('input', { ...shared, type, value: field.defaultValue ?? '' });
  };

  const renderField = (field) => {
    const id = `perennial-${field.id}-${field.name}`;
    const error = make('p', { id: `${id}-error`, className: 'perennial-error', hidden: true });
    const label = field.label + (field.required ? ' *' : '');
    if (field.type === 'hidden') return { field, node: control(field, id), error };
    if (field.type === 'radio') {
      const choices = (field.options ?? []).map((option, n) =>
        make(
          'div',
          {},
          make('input', {
            type: 'radio',
            id: `${id}-${n}`,
            name: field.name,
            value: option.value,
            required: field.required,
            checked: option.value === field.defaultValue,
          }),
          make('label', { htmlFor: `${id}-${n}`, textContent: option.label }),
        ),
      );
      return {
        field,
        node: make(
          'fieldset',
          { className: 'perennial-field' },
          make('legend', { textContent: label }),
          ...choices,
          error,
        ),
        error,
      };
    }
    const input = control(field, id);
    input.setAttribute('aria-describedby', error.id);
    return {
      field,
      input,
      node: make(
        'div',
        { className: 'perennial-field' },
        make('label', { htmlFor: id, textContent: label }),
        input,
        error,
      ),
      error,
    };
  };

  const values = (form, fields) => {
    const data = new FormData(form);
    return Object.fromEntries(
      fields.map(({ field }) => [
        field.name,
        field.type === 'multiselect'
          ? data.getAll(field.name)
          : field.type === 'checkbox' || field.type === 'consent'
            ? data.has(field.name)
            : (data.get(field.name) ?? ''),
      ]),
    );
  };

  const showErrors = (rendered, errors) => {
    for (const { field, input, error } of rendered) {
      const found = errors.find((one) => one.field === field.name);
      error.textContent = found ? `${field.label}: ${found.message}` : '';
      error.hidden = !found;
      input?.setAttribute('aria-invalid', String(Boolean(found)));
    }
    rendered.find(({ field }) => errors.some((one) => one.field === field.name))?.input?.focus();
  };

  const start = async (host) => {
    const [definition, { token }] = await Promise.all([
      fetch(`${formUrl}/fields`).then((r) => r.json()),
      fetch(`${formUrl}/token`).then((r) => r.json()),
    ]);
    const rendered = definition.fields.map(renderField);
    const trap = make('input', { name: '_website', tabIndex: -1, autocomplete: 'off', hidden: true });
    const status = make('p', { className: 'perennial-status' });
    status.setAttribute('role', 'status');
    const button = make('button', { type: 'submit', textContent: definition.submitLabel });
    const form = make(
      'form',
      { className: 'perennial-form', noValidate: true },
      ...rendered.map(({ node }) => node),
      trap,
      button,
      status,
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const local = rendered.flatMap(({ field, node }) => {
        const wrong = node.querySelector(':invalid');
        return wrong ? [{ field: field.name, message: wrong.validationMessage }] : [];
      });
      showErrors(rendered, local);
      if (local.length > 0) return;
      button.disabled = true;
      try {
        const answer = await fetch(`${formUrl}/submit`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ ...values(form, rendered), _token: token, _website: trap.value }),
        });
        const result = await answer.json();
        if (result.success && result.redirectUrl) window.location.assign(result.redirectUrl);
        else if (result.success)
          form.replaceChildren(
            make('p', { className: 'perennial-thanks', textContent: result.message ?? 'Thank you.' }),
          );
        else if (result.errors) showErrors(rendered, result.errors);
        else status.textContent = 'The form could not be sent. Please try again.';
      } catch {
        status.textContent = 'The form could not be sent. Please try again.';
      } finally {
        button.disabled = false;
      }
    });
    host.replaceChildren(form);
  };

  const id = /\/forms\/(\d+)\//.exec(base.pathname)[1];
  const host =
    document.querySelector(`[data-perennial-form="${id}"]`) ??
    script.parentNode.insertBefore(document.createElement('div'), script);
  start(host).catch(() => {
    host.textContent = 'The form could not be loaded.';
  });
})();
