import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { createComposer, messageIdFor } from '../../../../domain/emails/message/compose.ts';
import type { ComposerOptions, MessageInput } from '../../../../domain/emails/message/compose.ts';
import { normaliseEmail } from '../../../../lib/addresses/email.ts';
import { quotedPrintable } from '../../../../domain/emails/mime/mime.ts';
import { compileTemplate, renderFor } from '../../../../domain/emails/rendering/render.ts';
import { links, recipient, signer, template } from '../delivery/mails.ts';
import { header, readMail, readMails } from './read-mail.ts';
import { wireAddress, parseMailbox } from '../../../../lib/addresses/mailbox.ts';

const date = new Date('2026-03-01T12:34:56.789Z');
const rendered = (html: string, text = 'text', subject = 'A subject', unsubscribeUrl: string | null = null) => ({
  subject,
  htmlChunks: [html],
  textChunks: [text],
  unsubscribeUrl,
});

function compose(input: Partial<MessageInput> = {}, options: Partial<ComposerOptions> = {}) {
  const composer = createComposer({ from: { name: 'News', address: 'news@example.com' }, ...options });
  return composer({
    messageId: '<1@example.com>',
    to: { address: 'ann@example.org' },
    date,
    rendered: rendered('<p>x</p>'),
    ...input,
  });
}

test('an address that unsubscribes stands behind the one-click link, and what Gmail groups reports by', () => {
  const optOut = { optOutAddress: 'bounces+abc@example.com', feedbackId: '7:default:campaign:perennial' };
  const head = compose(optOut).message.toString().split('\r\n\r\n')[0]!;
  assert.doesNotMatch(head, /List-Unsubscribe|Feedback-ID/i, 'transactional email');
  const rendered = { subject: 'x', htmlChunks: [], textChunks: [], unsubscribeUrl: 'https://example.com/u/1' };
  const marketing = compose({ ...optOut, rendered })
    .message.toString()
    .split('\r\n\r\n')[0]!;
  assert.match(
    marketing,
    /^List-Unsubscribe: <https:\/\/example\.com\/u\/1>,\r\n <mailto:bounces\+abc@example\.com\?subject=unsubscribe>\r$/m,
  );
  assert.match(marketing, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  assert.match(marketing, /^Feedback-ID: 7:default:campaign:perennial\r$/m);
});

test('a message as a parser reads it', () => {
  const { envelope, message, messageId } = compose(
    {
      to: { name: "Ann O'Neil, Dr.", address: 'ann@example.org' },
      rendered: rendered('<p>Grüße</p>\n', 'Grüße\n', 'Grüße an alle'),
    },
    { replyTo: { name: 'Help “desk”', address: 'help@example.com' } },
  );
  const mail = readMail(message);
  assert.deepEqual(mail.defects, []);
  assert.deepEqual(envelope, { from: 'news@example.com', to: 'ann@example.org' });
  assert.deepEqual(mail.addresses, {
    From: [['News', 'news@example.com']],
    To: [["Ann O'Neil, Dr.", 'ann@example.org']],
    'Reply-To': [['Help “desk”', 'help@example.com']],
  });
  assert.equal(header(mail, 'Subject'), 'Grüße an alle');
  assert.equal(header(mail, 'Date'), 'Sun, 01 Mar 2026 12:34:56 +0000');
  assert.equal(header(mail, 'Message-ID'), messageId);
  assert.equal(header(mail, 'Content-Type'), 'multipart/alternative; boundary="=_perennial_alternative"');
  assert.deepEqual(mail.parts, [
    ['text/plain', 'Grüße\r\n'],
    ['text/html', '<p>Grüße</p>\r\n'],
  ]);
  assert.deepEqual(
    mail.headers.map(([name]) => name),
    ['From', 'Reply-To', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
  );
});

test('mail that can be unsubscribed from has both one-click headers and asks for no automatic replies, other mail does not', () => {
  const url = links.unsubscribeUrl({ tenantId: 'default', emailId: 5, contactId: 6 });
  const mail = readMail(compose({ rendered: rendered('x', 'x', 'x', url) }).message);
  assert.equal(header(mail, 'List-Unsubscribe'), `<${url}>`);
  assert.equal(header(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  assert.equal(header(mail, 'X-Auto-Response-Suppress'), 'OOF, AutoReply');
  const other = readMail(compose().message);
  assert.equal(header(other, 'X-Auto-Response-Suppress'), undefined);
  assert.equal(header(other, 'List-Unsubscribe'), undefined);
  assert.equal(header(other, 'List-Unsubscribe-Post'), undefined);
});

test('the message id is the same at every attempt and proves the email', () => {
  const id = messageIdFor(77, 'News@Bücher.example', signer);
  assert.equal(id, messageIdFor(77, 'News@Bücher.example', signer));
  assert.match(id, /^<[\w-]+@xn--bcher-kva\.example>$/);
  assert.equal(signer.verifyEmailToken('message', id.slice(1).split('@')[0] ?? ''), 77);
  assert.notEqual(id, messageIdFor(78, 'News@Bücher.example', signer));
});

test('senders as MAIL_FROM has them', () => {
  assert.deepEqual(parseMailbox('Perennial <no-reply@example.com>'), {
    name: 'Perennial',
    address: 'no-reply@example.com',
  });
  assert.deepEqual(parseMailbox('no-reply@example.com'), { name: null, address: 'no-reply@example.com' });
  assert.deepEqual(parseMailbox('"News, daily" <a@bücher.example>'), {
    name: 'News, daily',
    address: 'a@xn--bcher-kva.example',
  });
  for (const bad of ['', 'nobody', 'a@', '@b']) assert.throws(() => parseMailbox(bad), RangeError, bad);
});

test('addresses: international domains in ASCII, others refused when they could break out of a command', () => {
  assert.equal(compose({ to: { address: ' ann@bücher.example ' } }).envelope.to, 'ann@xn--bcher-kva.example');
  assert.equal(compose({ to: { address: "o'neil+tag/x=1@example.org" } }).envelope.to, "o'neil+tag/x=1@example.org");
  assert.equal(compose({ to: { address: 'jürgen@example.org' } }).envelope.to, 'jürgen@example.org');
  assert.equal(compose({ returnPath: 'bounce-1@example.com' }).envelope.from, 'bounce-1@example.com');
  const hostile = [
    'a@b>\r\nRCPT TO:<eve@example.org',
    'a b@example.org',
    'a@example.org\r\nBcc: eve@example.org',
    'a>@example.org',
    'a@example.org,eve@example.org',
    'eve@example.org, a@example.org',
    '<a@example.org>',
    'a@exa mple.org',
    'a\u0000@example.org',
    'a@',
    '@b',
    'a',
    '',
    'a\ud800@example.org',
  ];
  for (const address of hostile) {
    assert.throws(() => compose({ to: { address } }), RangeError, JSON.stringify(address));
    assert.throws(() => compose({ returnPath: address }), RangeError);
    assert.throws(() => createComposer({ from: { address } }), RangeError);
  }
});

test('a domain has the ASCII form that the URL standard gives it, plain ones too', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'b', 'x', 'n', '0', '1', '-', '.', 'A', 'ü'),
    minLength: 1,
    maxLength: 16,
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.domain(),
        letters,
        letters.map((text) => `xn--${text}`),
        letters.map((text) => `${text}.com`),
      ),
      (domain) => {
        const ascii = domainToASCII(domain);
        if (ascii === '') assert.throws(() => wireAddress(`ann@${domain}`), RangeError);
        else assert.equal(wireAddress(`ann@${domain}`), `ann@${ascii}`);
      },
    ),
    { numRuns: 5_000 },
  );
});

test('mail goes to the domain that an address is compared by', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'S', 'ẞ', 'ß', 'Σ', 'ς', 'İ', 'K', 'ü', 'U\u0308', '1', '-', '.'),
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.oneof(fc.constant('straẞe'), letters), (name) => {
      const normalised = normaliseEmail(`ann@${name}.de`);
      if ('emailKey' in normalised) assert.equal(wireAddress(normalised.email), normalised.emailKey);
    }),
    { numRuns: 5_000 },
  );
});

// What people and attackers put into names and subjects.
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\0',
        'Bcc: eve@example.org',
        '=?utf-8?Q?=0D=0ABcc:?=',
        '=?',
        '?=',
        '"',
        '\\',
        '<',
        '>',
        '(',
        ')',
        ',',
        ';',
        ':',
        '@',
        '\t',
        '\u2028',
        '\u0085',
        '💥',
        'é',
        '日本',
        ' ',
        'x'.repeat(80),
        '.',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);
const line = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

test('no name and no subject can add, end or split a header', () => {
  const inputs = fc.sample(fc.tuple(nasty, nasty, nasty), 500);
  const messages = inputs.map(
    ([fromName, toName, subject]) =>
      compose(
        { to: { name: toName, address: 'ann@example.org' }, rendered: rendered('x', 'x', subject) },
        { from: { name: fromName, address: 'news@example.com' } },
      ).message,
  );
  for (const [index, mail] of readMails(messages).entries()) {
    const [fromName = '', toName = '', subject = ''] = inputs[index] ?? [];
    const shown = JSON.stringify(inputs[index]);
    assert.deepEqual(
      mail.headers.map(([name]) => name),
      ['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
      shown,
    );
    assert.deepEqual(
      mail.parts,
      [
        ['text/plain', 'x'],
        ['text/html', 'x'],
      ],
      shown,
    );
    assert.equal(line(mail.addresses['From']?.[0]?.[0] ?? ''), line(fromName), shown);
    assert.equal(line(mail.addresses['To']?.[0]?.[0] ?? ''), line(toName), shown);
    assert.equal(mail.addresses['To']?.[0]?.[1], 'ann@example.org', shown);
    assert.equal(line(header(mail, 'Subject') ?? ''), line(subject), shown);
    const head = messages[index]?.toString('latin1').split('\r\n\r\n')[0] ?? '';
    assert.ok(/^[\x20-\x7e\r\n]*$/.test(head) && head.split('\r\n').every((text) => text.length <= 998), shown);
  }
});

test('long subjects and names are folded below the limit of a line', () => {
  for (const subject of ['x'.repeat(3000), 'word '.repeat(600).trim(), 'é'.repeat(1500), '日本語'.repeat(400)]) {
    const { message } = compose({
      to: { name: subject, address: 'ann@example.org' },
      rendered: rendered('x', 'x', subject),
    });
    const mail = readMail(message);
    assert.equal(header(mail, 'Subject'), subject);
    assert.equal(mail.addresses['To']?.[0]?.[0], subject);
    assert.ok(
      message
        .toString('latin1')
        .split('\r\n')
        .every((text) => text.length <= 998),
    );
  }
});

test('bodies survive in any pieces; no line is longer than 76 characters', () => {
  const bodies = fc.sample(
    fc.array(
      fc.oneof(
        nasty,
        fc.constantFrom(
          '\r\n',
          '.',
          '..\r\n.',
          'a '.repeat(100),
          ' ',
          '\t\n',
          '=',
          '=3D',
          '--=_perennial_alternative',
          'From x',
        ),
      ),
      { maxLength: 8 },
    ),
    300,
  );
  const messages = bodies.map(
    (htmlChunks) => compose({ rendered: { ...rendered(''), htmlChunks, textChunks: [htmlChunks.join('')] } }).message,
  );
  for (const [index, mail] of readMails(messages).entries()) {
    const pieces = bodies[index] ?? [];
    const crlf = (text: string): string => text.toWellFormed().replace(/\r\n?|\n/g, '\r\n');
    const shown = JSON.stringify(pieces);
    assert.deepEqual(
      mail.parts,
      [
        ['text/plain', crlf(pieces.join(''))],
        ['text/html', pieces.map(crlf).join('')],
      ],
      shown,
    );
    assert.ok(
      messages[index]
        ?.toString('latin1')
        .split('\r\n')
        .every((text) => text.length <= 76),
      shown,
    );
  }
});

test('quoted-printable: blanks at line ends, soft breaks, what needs no encoding', () => {
  assert.equal(quotedPrintable(''), '');
  assert.equal(quotedPrintable('Ann'), 'Ann=\r\n');
  assert.equal(quotedPrintable('Ann '), 'Ann=20=\r\n');
  assert.equal(quotedPrintable('a=b'), 'a=3Db=\r\n');
  assert.equal(quotedPrintable('a \nb\n'), 'a=20\r\nb\r\n');
  assert.equal(quotedPrintable('é'), '=C3=A9=\r\n');
});

test('what is encoded once and what is encoded for each makes the same message', () => {
  const content = `<p>Hello {{ firstName }} = é</p>\n<a href="https://example.com/?a=b">x</a> {{ lastName }}\n`;
  const compiled = compileTemplate(template(content, { category: 'marketing', subject: '{{ firstName }}' }), { links });
  const once = createComposer({ from: { address: 'news@example.com' }, staticChunks: compiled.staticChunks });
  const each = createComposer({ from: { address: 'news@example.com' } });
  for (const firstName of ['Ann', 'Bob é', 'Ann']) {
    const input: MessageInput = {
      messageId: '<1@example.com>',
      to: { address: 'ann@example.org' },
      date,
      rendered: renderFor(compiled, recipient({ contact: { firstName, lastName: 'x' } })),
    };
    assert.deepEqual(once(input).message, each(input).message);
    const mail = readMail(once(input).message);
    assert.equal(header(mail, 'Subject'), firstName);
    assert.deepEqual(
      mail.parts.map(([, text]) => text),
      [input.rendered.textChunks.join(''), input.rendered.htmlChunks.join('')].map((text) =>
        text.replaceAll('\n', '\r\n'),
      ),
    );
  }
});

test('a mail has the return path that it is given, and metadata only where it is asked for', () => {
  const composer = createComposer({ from: { address: 'from@example.com' } });
  const input: MessageInput = {
    messageId: '<1@example.com>',
    to: { address: 'ann@example.org' },
    date: new Date(),
    rendered: { subject: 'x', htmlChunks: ['x'], textChunks: ['x'], unsubscribeUrl: null },
  };
  const plain = composer(input);
  assert.deepEqual([plain.envelope.from, /metadata/i.test(plain.message.toString())], ['from@example.com', false]);
  const marked = composer({ ...input, returnPath: 'bounces+abc@example.com', metadata: 'abc234' });
  assert.equal(marked.envelope.from, 'bounces+abc@example.com');
  assert.match(marked.message.toString(), /\r\nX-PM-Metadata-email: abc234\r\n/);
});
