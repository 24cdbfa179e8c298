import { createAltcha } from './altcha.ts';
import { createWidget } from './captcha-widget.ts';
import type { Captcha } from '../shared/definition.ts';

/** How a form gets the proof that its visitor is no robot. */
export interface Proof {
  /** Begins when the visitor first touches the form. */
  begin: () => void;
  /** The proof, as fields of the submission. Throws a Failure. */
  take: () => Promise<Record<string, string>>;
  /** After it was sent: a proof counts once. */
  forget: () => void;
  /** Needs no visitor, so a refused proof can be replaced at once. */
  isAutomatic: boolean;
}

const none: Proof = { begin() {}, take: () => Promise.resolve({}), forget() {}, isAutomatic: false };

export function createProof(
  captcha: Captcha | null | undefined,
  form: HTMLFormElement,
  url: string,
  language: string,
): Proof {
  if (!captcha) return none;
  if (captcha.provider === 'altcha') return createAltcha(url);
  return createWidget(form, captcha.provider, captcha.siteKey ?? '', language);
}
