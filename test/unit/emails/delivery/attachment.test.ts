import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { simpleParser } from 'mailparser';
import { createComposer } from '../../../../domain/emails/message/compose.ts';

const rendered = {
  subject: 'Raport',
  htmlChunks: ['<p>Dzień dobry</p>'],
  textChunks: ['Dzień dobry'],
  unsubscribeUrl: null,
};
const compose = (fileName: string, content: Uint8Array): Buffer =>
  createComposer({ from: { name: null, address: 'service@example.com' } })({
    messageId: '<1@example.com>',
    to: { name: null, address: 'ada@example.com' },
    date: new Date(0),
    rendered,
    attachment: { fileName, mediaType: 'application/pdf', content },
  }).message;

test('a message with a file: the text in both forms, the name and every byte', async () => {
  const every = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
  for (const [fileName, content] of [
    ['report.pdf', every],
    [`Żółć – 月次 "a'b" (1)*%.pdf`, every.subarray(0, 57)],
    ['日'.repeat(60), every.subarray(0, 58)],
    ['empty.pdf', new Uint8Array()],
  ] as const) {
    const message = compose(fileName, content);
    const parsed = await simpleParser(message);
    assert.equal(parsed.text?.trim(), 'Dzień dobry');
    assert.match(String(parsed.html), /<p>Dzień dobry<\/p>/);
    assert.deepEqual(
      parsed.attachments.map((one) => [one.filename, one.contentType, one.contentDisposition]),
      [[fileName, 'application/pdf', 'attachment']],
    );
    assert.deepEqual(new Uint8Array(parsed.attachments[0]!.content), new Uint8Array(content));
    const lines = message.toString('latin1').split('\r\n');
    assert.ok(
      lines.every((line) => line.length <= 998 && /^[\x20-\x7e\t]*$/.test(line)),
      'RFC 5322, section 2.1.1',
    );
  }
});

test('a message without a file is as it was', () => {
  const message = createComposer({ from: { name: null, address: 'service@example.com' } })({
    messageId: '<1@example.com>',
    to: { name: null, address: 'ada@example.com' },
    date: new Date(0),
    rendered,
  }).message.toString();
  assert.match(message, /\r\nMIME-Version: 1\.0\r\nContent-Type: multipart\/alternative; boundary="[^"]*"\r\n\r\n/);
  assert.doesNotMatch(message, /mixed/);
});
