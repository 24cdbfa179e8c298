import type { Env } from './env-schema.ts';

/** The base of the links in text messages and pushes, without a slash at the end. */
export const shortBase = ({ SHORT_URL, PUBLIC_URL }: Pick<Env, 'SHORT_URL' | 'PUBLIC_URL'>): string => {
  const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
  return SHORT_URL ? withoutSlash(SHORT_URL) : `${withoutSlash(PUBLIC_URL)}/r`;
};
