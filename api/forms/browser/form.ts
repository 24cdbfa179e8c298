import { isBox } from '../../../domain/forms/checks/boxes.ts';
import { messageOf } from '../../../domain/forms/checks/messages.ts';
import type { Language } from '../../../lib/text/languages.ts';
import { createAbandonment } from './abandonment.ts';
import { createProof } from './captcha.ts';
import type { ContactToken } from './contact-token.ts';
import { CAPTCHA_FIELD, HONEYPOT, SHOWN_BOXES, type Definition } from '../shared/definition.ts';
import { labelled } from '../shared/labelled.ts';
import { make } from './dom.ts';
import { createErrors, type ShownError } from './errors.ts';
import { createFormToken } from './form-token.ts';
import { Failure, post, type Accepted, type Outcome, type ServerError } from './requests.ts';
import { filesOf, problemOf, rowsOf, valueOf, type Row } from './rows.ts';
import { failureText, FORM_TEXTS } from '../shared/texts.ts';
import { translated } from './translated.ts';

/** Where a form is, and for whom. */
export interface Surroundings {
  /** Of the form in the API, without a path behind its id. */
  url: string;
  /** Of the ids of its elements: unique in the page. */
  prefix: string;
  language: Language;
  contactToken: ContactToken;
  /**
   * Shows the form again as the server would show it now, with what was entered and with these errors. Whether that is
   * done; if not, the form stays.
   */
  renew: (errors: readonly ServerError[]) => Promise<boolean>;
  /** Leads the visitor to another page. */
  leave: (url: string) => void;
}

const hiddenValue = (form: HTMLFormElement, name: string): string | null =>
  form.querySelector<HTMLInputElement>(`input[type=hidden][name="${name}"]`)?.value || null;

/**
 * Makes a form work that is in the page: checks, sends, and shows what came of it. `found` are the errors to begin with,
 * if it replaces another form.
 */
export function activate(
  form: HTMLFormElement,
  definition: Definition,
  surroundings: Surroundings,
  found?: readonly ServerError[],
): void {
  const { url, prefix, language, contactToken, renew, leave } = surroundings;
  const texts = FORM_TEXTS[language];
  const rows = rowsOf(form, definition.fields);
  const errors = createErrors(form, rows, prefix, language);
  const status = make('p', { class: 'perennial-status', role: 'status', lang: language });
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]')!;
  button.after(status);
  const token = createFormToken(url, hiddenValue(form, '_token'));
  const proof = createProof(definition.captcha, form, url, language);
  let state: 'open' | 'sending' | 'sent' = 'open';
  // Being sent is not being left.
  const touch = createAbandonment(url, () => state !== 'open');
  form.noValidate = true;

  const say = (text: string): void => status.replaceChildren(make('bdi', {}, text));

  const shownProblem = (row: Row): ShownError[] => {
    const problem = problemOf(row);
    return problem ? [{ row, text: messageOf(problem, language) }] : [];
  };

  const rowNamed = (name: string): Row | undefined => rows.find(({ field }) => field.name === name);
  const toShow = ({ field, code, message }: ServerError): ShownError => {
    const row = rowNamed(field) ?? null;
    if (field === CAPTCHA_FIELD) return { row, text: failureText(texts, 'noProof') };
    return { row, text: row ? translated(code, message, row.field, language) : labelled(field, message) };
  };

  async function submission(): Promise<Record<string, unknown> | FormData> {
    const fields: Record<string, unknown> = {
      ...Object.fromEntries(rows.map((row) => [row.field.name, valueOf(row) ?? ''])),
      ...(await proof.take()),
      _token: await token.get(),
      [HONEYPOT]: form.querySelector<HTMLInputElement>(`[name="${HONEYPOT}"]`)?.value ?? '',
    };
    say(texts.sending);
    const known = hiddenValue(form, '_contactToken') ?? contactToken.get();
    if (known !== null) fields['_contactToken'] = known;
    const withFiles = rows.filter(({ field }) => field.type === 'file');
    if (withFiles.length === 0) return fields;
    for (const { field } of withFiles) delete fields[field.name];
    const data = new FormData();
    data.append(SHOWN_BOXES, rows.flatMap(({ field }) => (isBox(field) ? field.name : [])).join(' '));
    for (const [name, value] of Object.entries(fields))
      for (const each of Array.isArray(value) ? value : [value]) data.append(name, String(each));
    for (const row of withFiles) for (const file of filesOf(row)) data.append(row.field.name, file);
    return data;
  }

  /** Sends once; again only if nothing was stored because of a token or proof that can be replaced unseen. */
  async function send(): Promise<Exclude<Outcome, 'token_invalid'>> {
    for (let isLast = false; ; isLast = true) {
      const data = await submission();
      let outcome: Outcome;
      try {
        outcome = await post(`${url}/submit`, data);
      } catch (failure) {
        proof.forget();
        throw failure;
      }
      if (outcome === 'token_invalid') {
        token.forget();
        if (isLast) throw new Failure('failed');
        continue;
      }
      proof.forget();
      const isReplaceable =
        proof.isAutomatic && 'errors' in outcome && outcome.errors.every(({ field }) => field === CAPTCHA_FIELD);
      if (isLast || !isReplaceable) return outcome;
    }
  }

  function finish({ message, redirectUrl, contactToken: given }: Accepted): void {
    state = 'sent';
    const consents = rows.some((row) => row.field.type === 'consent' && valueOf(row) === true);
    if (given && consents) contactToken.keep(given);
    const thanks = make('p', { class: 'perennial-thanks', role: 'status', tabindex: -1 }, message ?? texts.thanks);
    form.replaceWith(thanks);
    thanks.focus();
    if (redirectUrl && /^https?:$/.test(new URL(redirectUrl, url).protocol)) leave(redirectUrl);
  }

  async function submit(): Promise<void> {
    const wrong = rows.flatMap(shownProblem);
    errors.show(texts.correct, wrong);
    if (wrong.length > 0) return;
    state = 'sending';
    // A disabled button would lose the focus.
    button.setAttribute('aria-disabled', 'true');
    say(definition.captcha ? texts.proving : texts.sending);
    try {
      const outcome = await send();
      if ('accepted' in outcome) return finish(outcome.accepted);
      // What is shown is out of date: the contact is not known any more, or the form was changed.
      const isOutdated = outcome.errors.some(({ field }) => field !== CAPTCHA_FIELD && !rowNamed(field));
      if (isOutdated && (await renew(outcome.errors))) return;
      state = 'open';
      errors.show(texts.correct, outcome.errors.map(toShow));
    } catch (failure) {
      state = 'open';
      errors.show('', [{ row: null, text: failureText(texts, failure instanceof Failure ? failure.text : 'failed') }]);
    } finally {
      button.removeAttribute('aria-disabled');
      status.replaceChildren();
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (state === 'open') void submit();
  });
  const notYou = form.querySelector('[data-not-you]');
  notYou?.addEventListener('click', () => {
    if (state !== 'open') return;
    contactToken.forget();
    // The hosted page has a link, to itself.
    if (notYou.tagName === 'A') return;
    state = 'sending';
    void renew([]).then((isDone) => {
      if (isDone) return;
      state = 'open';
      errors.show('', [{ row: null, text: texts.notLoaded }]);
    });
  });
  const rowOf = (target: EventTarget | null): Row | undefined =>
    rows.find(({ controls }) => controls.includes(target as HTMLInputElement));
  form.addEventListener('focusin', ({ target }) => {
    const row = rowOf(target);
    if (!row) return;
    touch(row.field.name);
    proof.begin();
    token.get().catch(() => {});
  });
  // As it is typed: an error that vanished with the focus would move the page under a click.
  form.addEventListener('input', ({ target }) => {
    const row = rowOf(target);
    if (!row) return;
    touch(row.field.name);
    if (!problemOf(row)) errors.clear(row);
  });
  if (!found) return;
  errors.show(texts.correct, found.map(toShow));
  if (found.length === 0) rows.find(({ node }) => node)?.controls[0]?.focus();
}
