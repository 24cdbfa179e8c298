import { languageOf, LANGUAGES, type Language } from '../../../lib/text/languages.ts';
import { createContactToken } from './contact-token.ts';
import type { Definition } from '../shared/definition.ts';
import { make } from './dom.ts';
import { activate } from './form.ts';
import { leave, tellHeight } from './frames.ts';
import { renderForm } from './render.ts';
import { Failure, getJson, type ServerError } from './requests.ts';
import { keepEntries } from './rows.ts';
import { adoptStyle } from './style.ts';
import { FORM_TEXTS } from '../shared/texts.ts';

/** The language of the page around an element, else of the browser, as far as there are texts in it. */
function languageAt(element: Element): Language {
  const root = element.getRootNode();
  const near =
    element.closest<HTMLElement>('[lang]') ??
    (root instanceof ShadowRoot ? root.host.closest<HTMLElement>('[lang]') : null);
  const tags = [near?.lang, ...navigator.languages];
  return tags.map((tag) => (tag ? languageOf(tag) : null)).find((found) => found !== null) ?? LANGUAGES[0];
}

/** The server answers with its page anew: it has what was sent, what is wrong, and the fields of now. */
function postAsPage(form: HTMLFormElement): Promise<boolean> {
  // A field of the form may be named `submit`.
  HTMLFormElement.prototype.submit.call(form);
  return new Promise(() => {});
}

/** Renders and activates forms; `base` is the URL of the API's forms. */
export function createMount(ownBase: string): (host: HTMLElement, base?: string) => Promise<void> {
  const mounted = new WeakMap<HTMLElement, Promise<void>>();
  const contactToken = createContactToken();
  let count = 0;

  async function load(host: HTMLElement, base: string): Promise<void> {
    const language = languageAt(host);
    const texts = FORM_TEXTS[language];
    const url = `${base}/${host.dataset['perennialForm'] ?? ''}`;
    const surroundings = { url, prefix: `perennial-${(count += 1)}`, language, contactToken };
    adoptStyle(host);
    const given = host.querySelector('[data-definition]');
    if (host instanceof HTMLFormElement && given) {
      activate(host, JSON.parse(given.textContent ?? '') as Definition, {
        ...surroundings,
        renew: () => postAsPage(host),
        leave,
      });
      tellHeight();
      return;
    }
    const show = async (before?: HTMLFormElement, errors?: readonly ServerError[]): Promise<void> => {
      const known = contactToken.get();
      const query = new URLSearchParams({
        ...(known === null ? {} : { contactToken: known }),
        ...(before ? { again: 'true' } : {}),
      }).toString();
      const definition = await getJson<Definition>(`${url}/fields${query && `?${query}`}`);
      const form = renderForm(definition, surroundings.prefix, language, texts);
      if (before) keepEntries(before, form);
      host.replaceChildren(form);
      const renew = (found: readonly ServerError[]): Promise<boolean> =>
        show(form, found).then(
          () => true,
          () => false,
        );
      activate(form, definition, { ...surroundings, renew, leave: (to) => window.location.assign(to) }, errors);
    };
    try {
      await show();
    } catch (failure) {
      // What the page has put there for this case stays.
      if (host.querySelector(':not(.perennial-failed, .perennial-failed *)')) return;
      const again = make('button', { type: 'button' }, texts.again);
      again.addEventListener('click', () => void load(host, base));
      const text = failure instanceof Failure && failure.text === 'gone' ? texts.gone : texts.notLoaded;
      host.replaceChildren(make('div', { class: 'perennial-failed', role: 'alert' }, make('p', {}, text), again));
    }
  }

  return (host, base = ownBase) => {
    let done = mounted.get(host);
    if (!done) mounted.set(host, (done = load(host, base)));
    return done;
  };
}
