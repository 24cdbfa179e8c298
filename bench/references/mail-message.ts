const PARAGRAPH =
  'The quick brown fox jumps over the lazy dog, and the lazy dog does not mind it at all, as it has seen foxes before. ';

/** The message that both sides send: three tokens, three links, a few kilobytes. */
export const MESSAGE = {
  from: 'Perennial <no-reply@example.com>',
  subject: 'Hello {{firstName}}',
  content: [
    '<!doctype html><html><body style="font-family:sans-serif">',
    '<h1>Hello {{firstName}} {{lastName}}</h1>',
    `<p>${PARAGRAPH.repeat(6)}</p><p><a href="https://example.com/one?x=1">One</a></p>`,
    `<p>${PARAGRAPH.repeat(6)}</p><p><a href="https://example.com/two">Two</a>, for {{company}}</p>`,
    `<p>${PARAGRAPH.repeat(6)}</p><p><a href="https://example.com/three">Three</a></p>`,
    '</body></html>',
  ].join('\n'),
  text: `Hello!\n\n${`${PARAGRAPH}\n`.repeat(18)}`,
};

/** The content with its three tokens replaced in the simplest way. */
export const htmlFor = (values: Record<string, string>): string =>
  MESSAGE.content.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
