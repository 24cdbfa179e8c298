import { createAltcha } from './altcha.ts';
import { createWidget } from './captcha-widget.ts';
import type { Proof } from './proof.ts';
import type { Captcha } from '../shared/definition.ts';

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
