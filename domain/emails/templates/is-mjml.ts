/** Whether a template's content is MJML: `<mjml>` stands first, after blanks, a byte order mark, comments. */
export function isMjml(content: string): boolean {
  return /^\s*(?:<\?xml[^>]*>\s*)?<mjml[\s>]/i.test(withoutComments(content));
}

/** Comments as blanks of their length, so that what is left keeps its place. */
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
