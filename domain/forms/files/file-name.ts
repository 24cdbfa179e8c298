/** Characters that change the direction of text, so that `gnp.exe` reads like `exe.png`, and ends of lines. */
const MISLEADING = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A file name as it is stored and shown: without characters that mislead; `file` if nothing is left. */
export const storedName = (given: string): string => given.replace(MISLEADING, '').trim() || 'file';
