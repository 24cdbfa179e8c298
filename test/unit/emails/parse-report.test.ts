import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { addressKey } from '../../../domain/addresses/address-key.ts';
import { judgeFailure } from '../../../domain/emails/bounces/judge-failure.ts';
import { parseReport } from '../../../domain/emails/bounces/parse-report.ts';
import { outcomeFor } from '../../../domain/emails/bounces/report.ts';
import { messageIdFor } from '../../../domain/emails/message/compose.ts';
import { emailOfMessageId, emailOfReturnPath, returnPathOf } from '../../../domain/emails/mime/return-path.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';

const signer = createLinkSigner({ secret: 'a secret of thirty-two characters' });
const stranger = createLinkSigner({ secret: 'another secret of that very length' });
const FOLDER = new URL('../../fixtures/bounces/mails/', import.meta.url);
const EMAIL = 4711;
const TO = 'someone@example.org';

interface Given {
  by?: typeof signer;
  to?: string;
  emailId?: number;
}

/** A mail of the fixtures as it goes over the wire, about an email of ours. */
function mail(name: string, { by = signer, to = TO, emailId = EMAIL }: Given = {}): Buffer {
  const text = readFileSync(new URL(`${name}.eml`, FOLDER), 'utf8')
    .replaceAll('{{VERP}}', returnPathOf(emailId, 'bounces@example.com', by))
    .replaceAll('{{MESSAGE_ID}}', messageIdFor(emailId, 'news@example.com', by))
    .replaceAll('{{TO}}', to);
  return Buffer.from(text.replaceAll('\n', '\r\n'));
}

/** What a fixture says of the address that our mail went to: verdict and status code; null for no report. */
async function told(source: Uint8Array, to = TO) {
  const report = await parseReport(source, signer);
  if (!report) return null;
  assert.equal(report.emailId, EMAIL);
  const { verdict, statusCode } = outcomeFor(report.outcomes, addressKey(to), addressKey);
  return [verdict, statusCode];
}

const EXPECTED = JSON.parse(readFileSync(new URL('../mails.json', FOLDER), 'utf8')) as Record<
  string,
  [verdict: string, statusCode: string | null] | null
>;

test('every report of the folder is read here', () => {
  assert.deepEqual(
    readdirSync(FOLDER)
      .map((file) => file.replace(/\.eml$/, ''))
      .sort(),
    Object.keys(EXPECTED).sort(),
  );
});

describe("every mail system's report is read for what it says", () => {
  for (const [name, expected] of Object.entries(EXPECTED)) {
    test(name, async () => {
      assert.deepEqual(await told(mail(name)), expected);
      const bare = Buffer.from(mail(name).toString().replaceAll('\r\n', '\n'));
      assert.deepEqual(await told(bare), expected, 'with bare line feeds');
    });
  }
});

test('no report proves an email by a token that we did not sign', async () => {
  for (const name of Object.keys(EXPECTED))
    assert.equal(await parseReport(mail(name, { by: stranger }), signer), null, name);
});

test('mail systems write addresses in capitals: the return path is known all the same, a Message-ID is not touched', async () => {
  const shouted = mail('postfix')
    .toString()
    .replace(/bounces\+[a-z2-7]+@example\.com/g, (address) => address.toUpperCase())
    .replaceAll(/Message-ID: <[\w-]+@example.com>/g, 'Message-ID: <changed@example.net>');
  assert.deepEqual(await told(Buffer.from(shouted)), ['address', '5.1.1']);
});

test('the outcome is that of our address, in whatever spelling the report has it', async () => {
  const report = await parseReport(mail('internationalised'), signer);
  assert.deepEqual(report!.outcomes[0]!.recipients, ['pelé@bücher.example', 'pelé@bücher.example']);
  const several = await parseReport(mail('several-recipients'), signer);
  const of = (address: string) => outcomeFor(several!.outcomes, addressKey(address), addressKey).verdict;
  assert.deepEqual(
    [of('OTHER@example.org'), of('third@Example.ORG'), of(TO), of('nobody@example.org')],
    ['address', 'delivered', 'content', 'delivered'],
  );
});

test('a report is named by its Message-ID, one without by its bytes', async () => {
  assert.equal((await parseReport(mail('postfix'), signer))!.eventKey, '<r1@mx.example.net>');
  const [one, again, other] = await Promise.all(
    [mail('qmail'), mail('qmail'), mail('qmail', { to: 'another@example.org' })].map((source) =>
      parseReport(source, signer),
    ),
  );
  assert.match(one!.eventKey, /^[\w-]{43}$/);
  assert.equal(one!.eventKey, again!.eventKey);
  assert.notEqual(one!.eventKey, other!.eventKey);
});

test('what it says is kept without control characters, and bounded', async () => {
  const text = mail('postfix')
    .toString()
    .replace('User\r\n    unknown', `User\u0000 ${'x'.repeat(5000)}\r\n unknown`);
  const { diagnostic } = (await parseReport(Buffer.from(text), signer))!.outcomes[0]!;
  assert.ok(
    diagnostic!.startsWith('550 5.1.1 <someone@example.org>: Recipient address rejected: User x') &&
      diagnostic!.length === 1000 &&
      !/[\0-\x1f]/.test(diagnostic!),
  );
});

test('a report that was cut off behind the status is read', async () => {
  const whole = mail('sendmail');
  assert.deepEqual(await told(whole.subarray(0, whole.indexOf('Last-Attempt-Date') + 40)), ['address', '5.1.1']);
});

const JUDGED: [status: string | null, text: string | null, expected: [string, string | null] | null][] = [
  ['5.1.1', null, ['address', '5.1.1']],
  ['5.1.0', null, ['unclear', '5.1.0']],
  ['5.1.0', '550 #5.1.0 Address rejected.', ['address', '5.1.0']],
  ['5.1.3', null, ['address', '5.1.3']],
  ['5.1.10', null, ['address', '5.1.10']],
  ['5.2.1', null, ['address', '5.2.1']],
  ['5.1.5', null, ['unclear', '5.1.5']],
  ['5.1.7', null, ['sender', '5.1.7']],
  ['5.1.8', null, ['sender', '5.1.8']],
  ['5.2.0', null, ['unclear', '5.2.0']],
  ['5.2.2', null, ['mailbox', '5.2.2']],
  ['5.2.3', null, ['content', '5.2.3']],
  ['5.2.4', null, ['unclear', '5.2.4']],
  ['5.3.0', null, ['unclear', '5.3.0']],
  ['5.3.4', null, ['content', '5.3.4']],
  ['5.4.1', null, ['temporary', '5.4.1']],
  ['5.4.6', null, ['temporary', '5.4.6']],
  ['5.4.7', null, ['temporary', '5.4.7']],
  ['5.5.0', null, ['unclear', '5.5.0']],
  ['5.6.1', null, ['content', '5.6.1']],
  ['5.7.1', null, ['policy', '5.7.1']],
  ['4.1.1', null, ['temporary', '4.1.1']],
  ['5.9.9', null, ['unclear', '5.9.9']],
  // The text says more than an unspecific status, and the reply within a wrapper more than the wrapper.
  ['5.0.0', '550 5.1.1 unknown', ['address', '5.1.1']],
  ['5.5.0', '550 5.7.1 spam', ['policy', '5.7.1']],
  ['5.1.1', '550 5.7.1 spam', ['policy', '5.7.1']],
  ['5.1.0', "Unknown address error 550-'not you' (delivery attempts: 0)", ['unclear', '550']],
  ['5.0.0', '551 moved', ['unclear', '5.0.0']],
  ['5.0.0', '552 full', ['mailbox', '5.0.0']],
  ['5.0.0', '554 no', ['unclear', '5.0.0']],
  ['5.0.0', null, ['unclear', '5.0.0']],
  ['4.0.0', '550 no', ['temporary', '4.0.0']],
  [null, 'said: 553 sorry', ['unclear', '553']],
  [null, 'said: 452 later', ['temporary', '452']],
  [null, '(#5.2.1)', ['address', '5.2.1']],
  [null, 'as of 5.1.1.', ['address', '5.1.1']],
  // Names within addresses, links and hosts are no words of the reply.
  ['5.0.0', '550 <no-such-user@spam.example> refused', ['unclear', '5.0.0']],
  ['5.1.1', '550 5.1.1 unknown user, see https://spam.example/policy', ['address', '5.1.1']],
  ['5.1.1', '550 5.1.1 no mailbox at antispam.blocked.example', ['address', '5.1.1']],
  // Addresses of the network, versions and amounts are no codes.
  [null, 'host 5.1.1.7 is away', null],
  [null, 'host 10.5.1.1 is away', null],
  [null, 'v5.1.1beta', null],
  [null, 'Exim 4.94.2', null],
  [null, '$550.00', null],
  [null, '1550 people', null],
  [null, null, null],
  ['2.0.0', 'fine', null],
];

test('whose fault a failure is, by its codes', () => {
  for (const [status, text, expected] of JUDGED) {
    const judged = judgeFailure({ status, text });
    assert.deepEqual(judged && [judged.verdict, judged.statusCode], expected, `${status} ${text}`);
  }
});

test('tokens of return paths: any id, any case, 64 octets at most, and nothing else verifies', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.func(fc.boolean()), (emailId, isUpper) => {
      const path = returnPathOf(emailId, `${'b'.repeat(26)}@example.com`, signer);
      const mixed = [...path].map((letter, n) => (isUpper(n) ? letter.toUpperCase() : letter)).join('');
      assert.ok(path.lastIndexOf('@') <= 64);
      assert.equal(emailOfReturnPath(`<${mixed}>`, signer), emailId);
      assert.equal(emailOfReturnPath(mixed, stranger), null);
      const at = path.indexOf('+') + 1 + (emailId % 28);
      const changed = `${path.slice(0, at)}${path[at] === 'a' ? 'b' : 'a'}${path.slice(at + 1)}`;
      assert.equal(emailOfReturnPath(changed, signer), null);
      assert.equal(emailOfMessageId(messageIdFor(emailId, 'news@example.com', signer), signer), emailId);
    }),
  );
});

test('whatever comes, nothing throws and nothing is taken for a report', async () => {
  const [before, after] = mail('postfix').toString().split('Action: failed');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
      assert.equal(await parseReport(bytes, signer), null);
      // As part of a report it may hide that report, and never makes it one of another email.
      const torn = await parseReport(Buffer.concat([Buffer.from(before!), bytes, Buffer.from(after!)]), signer);
      assert.ok(torn === null || torn.emailId === EMAIL);
    }),
    { numRuns: 300 },
  );
});

test('a mail that is made to keep the parser busy ends as nothing', async () => {
  const evil = [
    `Delivered-To: ${'+a'.repeat(100_000)}@example.com`,
    `To: ${`<+${'a'.repeat(30)}@x>,`.repeat(5000)}`,
    `Return-Path: <>\r\n\r\n${'\n'.repeat(300_000)}`,
    `From: postmaster@x\r\n\r\n${'-'.repeat(300_000)}`,
    `From: postmaster@x\r\n\r\n${'5.1.'.repeat(100_000)}`,
    `Content-Type: message/delivery-status\r\n\r\n${'Action: failed\r\nFinal-Recipient: rfc822;a\r\n\r\n'.repeat(10_000)}`,
    `${'Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n'.repeat(3000)}`,
  ];
  for (const text of evil) assert.equal(await parseReport(Buffer.from(text), signer), null, text.slice(0, 40));
});
