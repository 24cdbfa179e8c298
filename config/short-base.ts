import type { Env } from './env-schema.ts';

/** The base of the links in text messages and pushes, without a slash at the end. */
export const shortBase = ({ SHORT_URL, PUBLIC_URL }: Pick<Env, 'SHORT_URL' | 'PUBLIC_URL'>): string =>
  (SHORT_URL || `${PUBLIC_URL}/r`).replace(/\/+$/, '');
