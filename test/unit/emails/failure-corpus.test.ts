import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import * as mailgun from '../../../api/emails/webhooks/mailgun.ts';
import * as postmark from '../../../api/emails/webhooks/postmark.ts';
import * as sendgrid from '../../../api/emails/webhooks/sendgrid.ts';
import * as ses from '../../../api/emails/webhooks/ses.ts';
import { addressKey } from '../../../domain/addresses/address-key.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';
import { parseReport } from '../../../domain/emails/bounces/parse-report.ts';
import { readDeliveryStatus } from '../../../domain/emails/bounces/delivery-status.ts';
import { ANOTHER, FAMILIAR, ORDINARY, PHRASES } from '../../../domain/emails/bounces/failure-phrases.ts';
import { judgeFailure } from '../../../domain/emails/bounces/judge-failure.ts';
import { outcomeFor } from '../../../domain/emails/bounces/report.ts';
import { messageIdFor } from '../../../domain/emails/message/compose.ts';
import { returnPathOf } from '../../../domain/emails/mime/return-path.ts';
import { judgeReply, type Step } from '../../../worker/senders/smtp-outcome.ts';

// The corpus: what mail systems and providers say, each with the right verdict. New cases go into its files.
const FOLDER = new URL('../../fixtures/bounces/', import.meta.url);
const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as T;

interface Judged {
  what: string;
  right: string;
  got: string;
}

const flat = <T>(byVerdict: Record<string, T[]>): [verdict: string, one: T][] =>
  Object.entries(byVerdict).flatMap(([verdict, all]) => all.map((one): [string, T] => [verdict, one]));

const replies = flat(read<Record<string, [Step, string][]>>('smtp-replies.json')).map(
  ([right, [step, text]]): Judged => ({
    what: `${step}: ${text}`,
    right,
    got: judgeReply({ code: Number(text.slice(0, 3)), text }, step).verdict,
  }),
);

const statuses = flat(read<Record<string, [string, string | null][]>>('delivery-statuses.json')).map(
  ([right, [status, diagnostic]]): Judged => {
    const [outcome] = readDeliveryStatus(
      `Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: ${status}\n${diagnostic === null ? '' : `Diagnostic-Code: ${diagnostic}\n`}`,
    );
    return { what: `status ${status}: ${diagnostic}`, right, got: outcome!.verdict };
  },
);

const webhooks = read<[provider: string, right: string, event: object][]>('webhooks.json').map(
  ([provider, right, event]): Judged => {
    const outcome = {
      ses: () => ses.outcomesOf(event).outcomes[0],
      sendgrid: () => sendgrid.outcomeOf(event),
      mailgun: () => mailgun.outcomeOf(event),
      postmark: () => postmark.outcomeOf(event),
    }[provider]!();
    return { what: `${provider}: ${JSON.stringify(event)}`, right, got: outcome?.verdict ?? 'none' };
  },
);

async function judgedMails(): Promise<Judged[]> {
  const signer = createLinkSigner({ secret: 'a secret of thirty-two characters' });
  return Promise.all(
    Object.entries(read<Record<string, [string, string | null] | null>>('mails.json')).map(async ([name, right]) => {
      const source = readFileSync(new URL(`mails/${name}.eml`, FOLDER), 'utf8')
        .replaceAll('{{VERP}}', returnPathOf(1, 'bounces@example.com', signer))
        .replaceAll('{{MESSAGE_ID}}', messageIdFor(1, 'news@example.com', signer))
        .replaceAll('{{TO}}', 'ada@example.org');
      const report = await parseReport(Buffer.from(source.replaceAll('\n', '\r\n')), signer);
      const got = report ? outcomeFor(report.outcomes, 'ada@example.org', addressKey).verdict : 'none';
      return { what: `mail ${name}`, right: right?.[0] ?? 'none', got };
    }),
  );
}

const all = [...replies, ...statuses, ...webhooks, ...(await judgedMails())];
/** Cases as lines that say what is wrong. */
const listed = (cases: readonly Judged[]): string[] =>
  cases.map(({ what, right, got }) => `${right}, not ${got}: ${what}`);

test('whatever else a reply names, nobody is suppressed unless its code says that the address is dead', () => {
  const others = ['at the gateway', 'des Einlieferers', 'pendant la migration', 'до завтра', '缓存'];
  for (const text of ['user unknown', 'Adresse inconnue', 'Такого пользователя нет', '用户不存在']) {
    assert.equal(judgeReply({ code: 550, text: `550 ${text}` }, 'RCPT').verdict, 'address', text);
    for (const code of ['', '5.0.0 ', '5.2.2 ', '5.4.7 ', '5.5.0 ', '5.7.1 ', '5.7.8 '])
      for (const other of others)
        for (const more of [`550 ${code}${text} ${other}`, `550 ${code}${other} ${text}`])
          assert.notEqual(judgeReply({ code: 550, text: more }, 'RCPT').verdict, 'address', more);
  }
});

test('a code for a dead address suppresses alone, not beside words that can be read and say something else', () => {
  const others = ['You write too often', 'Hinter dem Tor wird gebaut', 'Pour nous un mystere', 'До завтра', '改日再说'];
  for (const code of ['5.1.1', '5.1.2', '5.1.3', '5.1.10', '5.2.1', '5.4.4', '5.4.310']) {
    assert.equal(judgeReply({ code: 550, text: `550 ${code}` }, 'RCPT').verdict, 'address', code);
    assert.equal(judgeReply({ code: 550, text: `550 ${code} Delivery failed` }, 'RCPT').verdict, 'address', code);
    for (const other of others)
      assert.notEqual(judgeReply({ code: 550, text: `550 ${code} ${other}` }, 'RCPT').verdict, 'address', other);
  }
});

test('words of a language that is not known are believed to say what their code does, if it is for no such mailbox', () => {
  const judge = (text: string): string => judgeReply({ code: 550, text }, 'RCPT').verdict;
  for (const words of ['Mottagaren finns inte', 'Ismeretlen címzett', '받는 사람을 찾을 수 없습니다']) {
    assert.equal(judge(`550 5.1.1 ${words}`), 'address', words);
    for (const code of ['', '5.0.0', '5.1.2', '5.2.1', '5.4.4'])
      assert.notEqual(judge(`550 ${code} ${words}`), 'address', words);
  }
});

test('words that speak of us, of a rule or of a passing state count more than a code for a dead address', () => {
  // Words that the judge understands without a code: with any verdict but these two.
  const understood = replies.filter(({ right }) => !['address', 'unclear', 'mailbox'].includes(right));
  for (const { what } of understood) {
    const bare = what.replace(/^\w+: /, '').replace(/(?<![\w.])[45]\.\d{1,3}\.\d{1,3} ?/g, '');
    if (!/^5\d\d[ -]/.test(bare)) continue;
    const judge = (text: string): string => judgeReply({ code: Number(text.slice(0, 3)), text }, 'RCPT').verdict;
    if (['address', 'unclear', 'mailbox'].includes(judge(bare))) continue;
    for (const code of ['5.1.1', '5.2.1', '5.4.4']) {
      const misled = bare.replace(/^(\d{3}[ -])/, `$1${code} `);
      assert.notEqual(judge(misled), 'address', misled);
    }
  }
});

test('each verdict of the corpus is the right one', () => {
  assert.deepEqual(listed(all.filter(({ right, got }) => right !== got)), []);
});

test('the corpus has cases of every kind, each once', () => {
  const count = (verdict: string): number => all.filter(({ right }) => right === verdict).length;
  const verdicts = [
    ...['address', 'mailbox', 'restricted', 'account', 'sender', 'content', 'policy', 'temporary'],
    ...['unclear', 'none', 'complaint'],
  ];
  assert.deepEqual(
    verdicts.filter((verdict) => count(verdict) < 5),
    [],
  );
  const whats = all.map(({ what }) => what);
  assert.deepEqual(
    whats.filter((what, index) => whats.indexOf(what) !== index),
    [],
  );
});

test('a reply takes bounded time: its start is read, by patterns without an unbounded repetition', () => {
  for (const [topic, { source }] of [
    ...PHRASES,
    ['ordinary', ORDINARY] as const,
    ['another', ANOTHER] as const,
    ['familiar', FAMILIAR] as const,
  ])
    assert.doesNotMatch(source.replace(/\\./g, ''), /[*+]|\{\d+,\}/, topic);
  const padding = 'here '.repeat(13_000);
  assert.equal(judgeFailure({ reply: 550, text: `user unknown ${padding}` })?.verdict, 'address');
  assert.equal(judgeFailure({ reply: 550, text: `${padding} user unknown` })?.verdict, 'unclear');
});
