/**
 * Whether a template's content is MJML: it starts with `<mjml>`, after optional blanks, a byte order mark and
 * comments.
 */
export function isMjml(content: string): boolean {
  return /^\s*(?:<\?xml[^>]*>\s*)?<mjml[\s>]/i.test(withoutComments(content));
}

/** Replaces comments by blanks of the same length, so that offsets do not change. */
export function withoutComments(source: string): string {
  let left = '';
  let from = 0;
  for (let start = source.indexOf('<!--'); start !== -1; start = source.indexOf('<!--', from)) {
    const end = source.indexOf('-->', start + 4);
    if (end === -1) break;
    left += source.slice(from, start) + source.slice(start, end + 3).replace(/[^\n]/g, ' ');
    from = end + 3;
  }
  return left + source.slice(from);
}
