import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import {
  renderMessage,
  type MessageSource,
  type RenderContext,
} from '../../../domain/channels/content/render-message.ts';

const context = (values: Partial<RenderContext> = {}): RenderContext => ({
  contact: { firstName: 'Ada' },
  address: 'ada@example.com',
  data: null,
  links: { publicUrl: 'https://p.example', linkSecret: 'a secret of links, long enough for a test' },
  owner: { tenantId: 'default', contactId: null, at: new Date(0) },
  codes: {},
  base: 'https://s.example/r',
  optOutText: null,
  ...values,
});
const text = (body: string, values: Partial<RenderContext> = {}, smartEncoding = true) =>
  renderMessage({ channel: 'sms', body, smartEncoding }, context(values));
const push = (source: Partial<MessageSource>, values: Partial<RenderContext> = {}) =>
  renderMessage({ channel: 'push', body: 'Hello', smartEncoding: true, ...source }, context(values));

test('a text is rendered with its short links, each URL by one, and how to opt out on a line of its own', () => {
  const shown = text(
    'Hi {{firstName}}: https://example.com/a, (https://example.com/b?c=(d)) or https://example.com/a.',
    {
      optOutText: 'STOP to end',
    },
  );
  assert.ok('text' in shown);
  const [a, b] = shown.links;
  assert.deepEqual([a!.url, b!.url, shown.links.length], ['https://example.com/a', 'https://example.com/b?c=(d)', 2]);
  assert.match(a!.code, /^[A-Za-z0-9]{10}$/);
  const short = (code: string) => `https://s.example/r/${code}`;
  assert.equal(shown.text, `Hi Ada: ${short(a!.code)}, (${short(b!.code)}) or ${short(a!.code)}.\nSTOP to end`);
  const again = text('https://example.com/a');
  assert.ok('text' in again);
  assert.notEqual(again.links[0]!.code, a!.code);
});

test('what a contact is called is data: no Liquid, no control characters, no lone surrogates', () => {
  const shown = text('{{firstName}}|', { contact: { firstName: '{{ email }}\r\n\u0000\u202a\uD800x' } });
  assert.ok('text' in shown);
  assert.equal(shown.text, '{{ email }}\n\u202a\uFFFDx|');
});

test('quotes, dashes and ellipses become GSM-7 unless that is switched off', () => {
  const smart = text('“Hi” – it’s…');
  assert.deepEqual('text' in smart && [smart.text, smart.encoding], ['"Hi" - it\'s...', 'GSM-7']);
  const plain = text('“Hi” – it’s…', {}, false);
  assert.deepEqual('text' in plain && [plain.text, plain.encoding, plain.ucs2Because], [
    '“Hi” – it’s…',
    'UCS-2',
    ['“', '”', '–', '’', '…'],
  ]);
});

test('ten segments are sent, eleven are not', () => {
  const segmentsOf = (body: string) => {
    const shown = text(body);
    return 'text' in shown ? shown.segments : shown;
  };
  assert.equal(segmentsOf('x'.repeat(1_530)), 10);
  assert.deepEqual(segmentsOf('x'.repeat(1_531)), { failure: 'too_long' });
  assert.equal(segmentsOf('я'.repeat(670)), 10);
  assert.deepEqual(segmentsOf('я'.repeat(671)), { failure: 'too_long' });
  assert.deepEqual(segmentsOf('x'.repeat(1_000_000)), { failure: 'too_long' });
  assert.equal(segmentsOf('x'.repeat(159) + '€'), 2);
  assert.equal(segmentsOf('x'.repeat(158) + '€'), 1);
});

test('a text of nothing, or whose template fails, is not sent', () => {
  assert.deepEqual(text('{{ nobody }}  \n'), { failure: 'empty' });
  assert.throws(() => text('{% for i in (1..100000000) %}x{% endfor %}'), { code: 'template_limit' });
  assert.deepEqual(text('{% if %}'), { failure: 'template_failed' });
});

test('the body of a provider is filled with the text, in which no Liquid is executed', () => {
  const body = { to: '{{to}}', text: 'Acme: {{text}}', ref: '{{messageId}}', sender: '{{from}}' };
  const provider = { body, to: '+15005550006', from: 'Acme', messageId: '5' };
  const shown = text('{{firstName}}', { contact: { firstName: '{{to}}"}&' }, provider });
  assert.deepEqual('text' in shown && shown.body, {
    to: '+15005550006',
    text: 'Acme: {{to}}"}&',
    ref: '5',
    sender: 'Acme',
  });
  const broken = text('Hi', { provider: { ...provider, body: { text: '{% if %}' } } });
  assert.deepEqual(broken, { failure: 'provider_body_failed' });
});

test('a text and all fields of the body of its provider have one limit together', () => {
  const loop = (turns: number) => `{% for i in (1..${turns}) %}{% assign a = i %}{% endfor %}`;
  const provider = (fields: number, turns: number) => ({
    body: Object.fromEntries(Array.from({ length: fields }, (_, n) => [`f${n}`, loop(turns)])),
    ...{ to: '', from: '', messageId: '1' },
  });
  // Fifty times what one field may take at most, as measured.
  let turns = 1_000;
  while ('text' in attempt(() => text('Hi', { provider: provider(1, turns) }))) turns *= 2;
  assert.equal(attempt(() => text('Hi', { provider: provider(50, turns / 8) })).failure, 'template_limit');
});

function attempt(work: () => ReturnType<typeof renderMessage>): { text?: string; failure?: string } {
  try {
    const shown = work();
    return 'text' in shown ? shown : 'failure' in shown ? shown : {};
  } catch (error) {
    return { failure: (error as { code: string }).code };
  }
}

test('a push has its texts on one line, short links to click, and others as they are', () => {
  const shown = push(
    {
      title: 'Hi\n{{firstName}}',
      url: 'https://example.com/{{ data.page }}',
      iconUrl: 'https://example.com/i.png',
      actions: [{ action: 'more', title: 'More', url: 'https://example.com/more' }],
    },
    { data: { page: 'p' } },
  );
  assert.ok('content' in shown);
  const [target, more] = shown.links;
  assert.deepEqual([target!.url, more!.url].sort(), ['https://example.com/more', 'https://example.com/p']);
  const codeOf = (url: string) => `https://s.example/r/${shown.links.find((link) => link.url === url)!.code}`;
  assert.deepEqual(shown.content, {
    title: 'Hi Ada',
    body: 'Hello',
    url: codeOf('https://example.com/p'),
    icon: 'https://example.com/i.png',
    actions: [{ action: 'more', title: 'More', url: codeOf('https://example.com/more') }],
  });
  const positionsOf = (given: ReturnType<typeof push>) => {
    assert.ok('content' in given);
    return given.links.map(({ url, position }) => [url, position]);
  };
  const [one, two] = ['https://example.com/1', 'https://example.com/2'];
  const actions = [{ action: 'two', title: 'Two', url: two }];
  assert.deepEqual(positionsOf(push({ url: one, actions })), [
    [one, 1],
    [two, 2],
  ]);
  // The first place stays that of the push itself.
  assert.deepEqual(positionsOf(push({ actions })), [[two, 2]]);
  for (const url of ['javascript:alert(1)', 'data:text/html,x', '/relative', 'ftp://example.com/'])
    assert.deepEqual(push({ url }), { failure: 'url_invalid', paths: ['/url'] }, url);
});

test('a URL is stored as a Location header can have it', () => {
  const shown = text('https://example.com/straße?q=ü');
  assert.ok('text' in shown);
  assert.deepEqual(
    shown.links.map(({ url }) => url),
    ['https://example.com/stra%C3%9Fe?q=%C3%BC'],
  );
});
