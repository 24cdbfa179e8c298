import type { Form, FormField } from '../../db/entities/forms.ts';
import { LANGUAGES, type Language } from '../../lib/text/languages.ts';
import type { FieldError } from '../../domain/forms/check-submission.ts';
import { isBox } from '../../domain/forms/checks/boxes.ts';
import { MAX_TEXT } from '../../domain/forms/checks/lengths.ts';
import { messageOf } from '../../domain/forms/checks/messages.ts';
import { escapeHtml, htmlPage } from '../pages/html.ts';
import type { Imprint } from '../pages/imprint.ts';
import { fieldHtml, firstControlId } from './field-html.ts';
import { CHOOSE_AGAIN, NEEDS_SCRIPT, ONCE_MORE } from './page-texts.ts';
import { CAPTCHA_FIELD, HONEYPOT, SHOWN_BOXES, type Definition } from './shared/definition.ts';
import { labelled } from './shared/labelled.ts';
import { failureText, FORM_TEXTS, type FormTexts } from './shared/texts.ts';

/** What a form shows besides its fields. */
export interface ShownForm {
  /** Without one (the plain embed), a submission leads to the hosted page, prefilled. */
  token?: string;
  contactToken?: string;
  /** If something is left out because the contact is known: the page for somebody else, which asks everything. */
  otherUrl?: string;
  /** The fields to show; all if absent. */
  fields?: readonly FormField[];
  values?: Record<string, unknown>;
  errors?: readonly FieldError[];
  /** Why nothing was stored, although the fields are right. */
  failure?: 'busy' | 'noProof' | 'noRoom';
  /** Whether the submission was refused before it was read, so that its values are not shown again. */
  isUnread?: boolean;
  /** Whether it was sent without a token, and is to be sent once more to confirm it. */
  isOnceMore?: boolean;
  /** The names of fields whose file was sent, was not stored, and must be chosen again. */
  lostFiles?: readonly string[];
  language?: Language;
  /** For the script, which makes the form work without leaving the page. */
  definition?: Definition;
}

const hiddenInput = (name: string, value: string | undefined): string =>
  value ? `<input type="hidden" name="${name}" value="${escapeHtml(value)}">\n` : '';

/** There is always one: that no box is shown is said, too. */
const shownBoxesHtml = (fields: readonly FormField[]): string =>
  `<input type="hidden" name="${SHOWN_BOXES}" value="${fields
    .filter(isBox)
    .map(({ name }) => name)
    .join(' ')}">\n`;

/** Data in a page: nothing in it can end the element or begin a comment. */
const dataHtml = (data: unknown): string =>
  `<script type="application/json" data-definition>${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>\n`;

/** With the form's id, because a page can have the plain HTML of several forms. */
const idIn =
  (form: Form) =>
  ({ name }: FormField): string =>
    `f${form.id}-${name}`;

/** The message of an error in a language; rules other than those of forms have theirs in English only. */
const messageIn = ({ problem, message }: FieldError, language: Language): string =>
  problem ? messageOf(problem, language) : message;

/** All errors, with links to their fields. */
function summaryHtml(
  errors: readonly FieldError[],
  fields: readonly FormField[],
  idOf: (field: FormField) => string,
  language: Language,
): string {
  if (errors.length === 0) return '';
  const items = errors.map((error) => {
    const field = fields.find(({ name, type }) => name === error.field && type !== 'hidden');
    const text = escapeHtml(
      error.field === CAPTCHA_FIELD
        ? failureText(FORM_TEXTS[language], 'noProof')
        : labelled(field?.label ?? error.field, messageIn(error, language)),
    );
    return `<li>${field ? `<a href="#${escapeHtml(firstControlId(field, idOf(field)))}">${text}</a>` : text}</li>`;
  });
  return alertHtml(FORM_TEXTS[language].correct, `<ul>${items.join('')}</ul>`);
}

const alertHtml = (text: string, more = ''): string =>
  `<div class="error" role="alert" data-summary><p>${escapeHtml(text)}</p>${more}</div>\n`;

function failureIn(language: Language, failure: NonNullable<ShownForm['failure']>, isUnread = false): string {
  const texts = FORM_TEXTS[language];
  return isUnread ? texts[failure] : failureText(texts, failure);
}

const notYouHtml = (otherUrl: string | undefined, { known, notYou }: FormTexts): string =>
  otherUrl
    ? `<p class="known">${escapeHtml(known)} <a href="${escapeHtml(otherUrl)}" data-not-you>${escapeHtml(notYou)}</a></p>\n`
    : '';

/**
 * The field that only robots fill. Our own page has it outside of what is seen. A foreign page may give everything a
 * `display`, which shows what is only `hidden`, and may forbid inline styles: with `until-found`, browsers hide the
 * content of the box whatever its `display` is. A search in the page would show it, so there is no text in it to find.
 */
const honeypotHtml = (isForeign: boolean): string =>
  `<div class="away" aria-hidden="true"${isForeign ? ' hidden="until-found"' : ''}><input name="${HONEYPOT}" placeholder="Leave this empty" tabindex="-1" autocomplete="off"></div>\n`;

/** The notice is by the button, which gets the focus: a browser shows that part of the page. */
function buttonHtml(label: string, language: Language, isOnceMore = false): string {
  if (!isOnceMore) return `<button type="submit">${escapeHtml(label)}</button>`;
  const text = ONCE_MORE[language].replace('{button}', () => label);
  return `<p class="notice" role="status" id="once-more" lang="${language}">${escapeHtml(text)}</p>
<button type="submit" autofocus aria-describedby="once-more">${escapeHtml(label)}</button>`;
}

/** The form as HTML: for the hosted page, or to be pasted into any page. */
export function formHtml(form: Form, action: string, shown: ShownForm = {}): string {
  const { values, errors = [], lostFiles = [], language = LANGUAGES[0], definition } = shown;
  const idOf = idIn(form);
  const texts = FORM_TEXTS[language];
  const chosen = (field: FormField): string[] => {
    const value = values && Object.hasOwn(values, field.name) ? values[field.name] : field.defaultValue;
    const all: unknown[] = Array.isArray(value) ? value : [value];
    // Longer than any field allows: do not echo what nobody typed.
    return all.filter((one) => typeof one === 'string' && one.length <= 2 * MAX_TEXT) as string[];
  };
  const fields = shown.fields ?? form.fields;
  const rows = fields.map((field) => {
    const error = errors.find((one) => one.field === field.name);
    return fieldHtml(field, {
      id: idOf(field),
      chosen: chosen(field),
      error: error && messageIn(error, language),
      hint: lostFiles.includes(field.name) ? CHOOSE_AGAIN[language] : undefined,
      requiredMark: definition ? `<span class="required">${escapeHtml(texts.required)}</span>` : '*',
      isUnstyled: !definition,
    });
  });
  const enctype = fields.some(({ type }) => type === 'file') ? ' enctype="multipart/form-data"' : '';
  const enhanced = definition ? ` class="perennial-form" data-perennial-form="${form.id}"` : '';
  return `<form method="post" action="${escapeHtml(action)}"${enctype}${enhanced}>
${hiddenInput('_token', shown.token)}${hiddenInput('_contactToken', shown.contactToken)}${shownBoxesHtml(fields)}${notYouHtml(shown.otherUrl, texts)}${shown.failure ? alertHtml(failureIn(language, shown.failure, shown.isUnread)) : ''}${summaryHtml(errors, fields, idOf, language)}${rows.join('\n')}
${honeypotHtml(!shown.token)}${definition ? dataHtml(definition) : ''}${buttonHtml(form.submitLabel ?? texts.send, language, shown.isOnceMore)}
</form>`;
}

/** The direction of what the editor wrote follows from its first letter. */
const ownDirection = (html: string): string => `<div dir="auto">${html}</div>`;

/** The hosted page of a form; `script` is the element that loads its script. */
export function formPage(
  form: Form,
  action: string,
  shown: ShownForm & { language: Language; script: string; imprint: Imprint | null },
): string {
  const { language, script, definition, imprint } = shown;
  const description = form.description ? `<p>${escapeHtml(form.description)}</p>` : '';
  const unproved = definition?.captcha
    ? `<noscript><p class="error">${escapeHtml(NEEDS_SCRIPT[language])}</p></noscript>\n`
    : '';
  return htmlPage(
    form.name,
    `${ownDirection(`<h1>${escapeHtml(form.name)}</h1>${description}\n${unproved}${formHtml(form, action, shown)}`)}\n${script}`,
    language,
    imprint,
  );
}

/** The page after a submission from the hosted page. */
export function thanksPage(form: Form, language: Language, imprint: Imprint | null): string {
  const thanks = form.successMessage ?? FORM_TEXTS[language].thanks;
  return htmlPage(
    form.name,
    ownDirection(`<h1>${escapeHtml(form.name)}</h1><p role="status">${escapeHtml(thanks)}</p>`),
    language,
    imprint,
  );
}
