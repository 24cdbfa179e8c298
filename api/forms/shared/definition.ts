import type { CheckedField } from '../../../domain/forms/checks/checked-field.ts';

/** A field as `GET /forms/{id}/fields` answers it. */
export interface PublicField extends CheckedField {
  label: string;
  placeholder: string | null;
  defaultValue: string | null;
  options: readonly { value: string; label: string }[] | null;
  mapTo: string | null;
  /** Of a file: the accepted media types, and the maximum size. */
  accept?: readonly string[] | null;
  maxBytes?: number | null;
}

export interface Captcha {
  provider: 'altcha' | 'hcaptcha' | 'turnstile';
  siteKey: string | null;
}

export interface Definition {
  submitLabel: string;
  fields: readonly PublicField[];
  captcha?: Captcha | null;
  /** Whether fields are left out because their values are known about the visitor's contact. */
  knownContact?: boolean;
}

/** The field to which errors of the CAPTCHA belong. */
export const CAPTCHA_FIELD = 'captcha';

/** The type of the input of each field type; others have a text input or none. */
const INPUT_TYPES: Record<string, string> = {
  email: 'email',
  number: 'number',
  phone: 'tel',
  url: 'url',
  date: 'date',
  time: 'time',
  datetime: 'datetime-local',
  checkbox: 'checkbox',
  consent: 'checkbox',
  hidden: 'hidden',
  file: 'file',
};
export const inputTypeOf = (type: string): string => INPUT_TYPES[type] ?? 'text';

/** The label of the button where the editor gave none, in the API: pages show their own word for it. */
export const DEFAULT_SUBMIT_LABEL = 'Send';

/** Names the boxes that a page shows, separated by spaces: of one that is not ticked a browser sends nothing. */
export const SHOWN_BOXES = '_shown';

/** The honeypot: a field that people do not see, but bots fill in. */
export const HONEYPOT = '_website';
