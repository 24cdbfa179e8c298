import { createHash } from 'node:crypto';

/** An id in the form of a UUID that is always the same for the same text. */
export const stableId = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 32)
    .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
