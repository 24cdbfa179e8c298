import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { openSecret } from '../../../lib/text/secret-box.ts';
import { SenderCache } from '../../../domain/emails/senders/sender-cache.ts';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { confirmByMail, makeSender } from '../../support/mail/senders.ts';
import { startService, type Service } from '../../support/service.ts';

const MAIL_FROM = 'Perennial <no-reply@example.net>';
let service: Service;
/** What the DNS says, by name; a string is the code of an error. */
const dns = new Map<string, string[][] | string>();
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'senders'], env: { MAIL_FROM } });
  service.deps.resolveTxt = (name) => {
    const found = dns.get(name) ?? 'ENOTFOUND';
    return typeof found === 'string'
      ? Promise.reject(Object.assign(new Error('queryTxt'), { code: found }))
      : Promise.resolve(found);
  };
});
afterAll(() => service.stop());

const create = (body: Record<string, unknown>) => makeSender(service, body);
const codes = (answer: { body: { errors?: { path: string; code: string }[] } }) =>
  answer.body.errors?.map(({ path, code }) => `${path} ${code}`);
const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pem = (type: 'pkcs1' | 'pkcs8') => rsa.export({ type, format: 'pem' }).toString();

/** How a verifier that is not ours judges a mail whose keys stand in the DNS. */
async function judge(raw: string, records: Record<string, string>) {
  const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), {
    resolver: (name: string) => Promise.resolve(name in records ? [[records[name]!]] : []),
  });
  return results;
}
/** Publishes a sender's record and has it verified. */
async function verified(id: number, { dnsName, dnsValue }: { dnsName: string; dnsValue: string }): Promise<void> {
  dns.set(dnsName, [[dnsValue]]);
  assert.equal((await service.api('POST', `/emails/senders/${id}/verify`)).status, 200);
}
const received = async (emailId: number): Promise<string> => {
  const { to } = await untilStatus(service, emailId, 'SENT');
  return service.sink.mails.findLast((mail) => mail.to[0] === to)!.raw;
};

test('a sender is made, read, changed, listed and deleted; a key is made where none is given, and never shown', async () => {
  const plain = await create({ email: 'Plain@Example.com' });
  assert.deepEqual(
    [plain.email, plain.name, plain.replyTo, plain.dkim, plain.version],
    ['Plain@Example.com', null, null, null, 1],
  );
  const signed = await create({
    email: 'signed@news.example.com',
    name: 'Signed, "News"',
    replyTo: 'help@example.com',
    dkim: { domain: 'Example.com' },
  });
  const { dkim } = signed;
  assert.equal(dkim.domain, 'example.com');
  assert.equal(dkim.dnsName, `${dkim.selector}._domainkey.example.com`);
  assert.equal(dkim.dnsValue, `v=DKIM1; k=rsa; p=${dkim.publicKey}`);
  assert.equal(
    createPublicKey({ key: Buffer.from(dkim.publicKey, 'base64'), type: 'spki', format: 'der' }).asymmetricKeyDetails
      ?.modulusLength,
    2048,
  );
  assert.equal(dkim.verifiedAt, null);
  const read = await service.api('GET', `/emails/senders/${signed.id}`);
  assert.deepEqual(read.body, signed);
  assert.deepEqual(
    (await service.api('GET', '/emails/senders')).body.data.map((one: { id: number }) => one.id),
    [signed.id, plain.id],
  );
  // What was read can be put back: nothing changes, the key least of all.
  const put = await service.api('PUT', `/emails/senders/${signed.id}`, read.body);
  assert.deepEqual([put.status, put.body.dkim], [200, dkim]);
  assert.deepEqual(
    codes(
      await service.api('PUT', `/emails/senders/${signed.id}`, {
        dkim: { ...dkim, verifiedAt: '2030-01-01T00:00:00.000Z' },
      }),
    ),
    ['/dkim/verifiedAt read_only'],
  );
  const renamed = await service.api('PUT', `/emails/senders/${signed.id}`, { name: 'Other', dkim: {} });
  assert.deepEqual([renamed.body.name, renamed.body.dkim], ['Other', dkim]);
  const rolled = await service.api('PUT', `/emails/senders/${signed.id}`, { dkim: { selector: 'Next' } });
  assert.equal(rolled.body.dkim.selector, 'next');
  assert.equal(rolled.body.dkim.domain, 'news.example.com');
  assert.notEqual(rolled.body.dkim.publicKey, dkim.publicKey);
  assert.deepEqual(codes(await service.api('PUT', `/emails/senders/${signed.id}`, { email: 'signed@example.org' })), [
    '/email not_aligned',
  ]);
  assert.equal(
    (await service.api('PUT', `/emails/senders/${signed.id}`, { email: 'signed@example.org', dkim: null })).body.dkim,
    null,
  );
  assert.equal(
    (await service.api('DELETE', `/emails/senders/${signed.id}`, undefined, { headers: { 'If-Match': '"1"' } })).status,
    412,
  );
  assert.equal((await service.api('DELETE', `/emails/senders/${signed.id}`)).status, 204);
  assert.equal((await service.api('GET', `/emails/senders/${signed.id}`)).status, 404);
});

test('an address is one sender; what can not stand in a header, or does not fit the address, is refused', async () => {
  await create({ email: 'once@example.com' });
  const twin = await service.api('POST', '/emails/senders', { email: 'ONCE@example.com' });
  assert.deepEqual([twin.status, twin.body.code], [409, 'email_taken']);
  const refused = async (body: Record<string, unknown>) => {
    const answer = await service.api('POST', '/emails/senders', body);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return codes(answer);
  };
  assert.deepEqual(await refused({ email: 'no address', replyTo: 'x@', name: 'A\r\nBcc: all@example.com' }), [
    '/email invalid_email',
    '/replyTo invalid_email',
    '/name invalid_character',
  ]);
  assert.deepEqual(await refused({ email: 'a@example.com\r\nBcc: b@example.com' }), ['/email invalid_email']);
  for (const domain of ['example.org', 'ample.com', 'com', 'x.example.com', '', 'exa mple.com']) {
    assert.deepEqual(await refused({ email: 'a@example.com', dkim: { domain } }), ['/dkim/domain not_aligned'], domain);
  }
  for (const selector of ['a b', '-a', 'a..b', 'a;b', 'a\r\nb', 'ä', '.'])
    assert.deepEqual(
      await refused({ email: 'a@example.com', dkim: { selector } }),
      ['/dkim/selector invalid_selector'],
      selector,
    );
  const keys = {
    'not a key': 'x',
    'too short': generateKeyPairSync('rsa', { modulusLength: 768 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'of another kind': generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
    public: generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }),
    encrypted: rsa.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
  };
  for (const [what, privateKey] of Object.entries(keys))
    assert.deepEqual(
      await refused({ email: 'a@example.com', dkim: { privateKey } }),
      ['/dkim/privateKey invalid_key'],
      what,
    );
});

test('a private key is kept encrypted, and stands in no answer and no log', async () => {
  const { id, dkim } = await create({
    email: 'kept@example.com',
    dkim: { selector: 'mine', privateKey: pem('pkcs1') },
  });
  assert.equal(dkim.publicKey, createPublicKey(rsa).export({ type: 'spki', format: 'der' }).toString('base64'));
  const [row] = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ dkim_private_key: string }>(tx, sql`select dkim_private_key from email_senders where id = ${id}`),
  );
  const pkcs8 = rsa.export({ type: 'pkcs8', format: 'der' });
  assert.ok(!Buffer.from(row!.dkim_private_key, 'base64url').includes(pkcs8.subarray(30, 60)));
  const { secret } = openSecret(service.deps.env, 'dkim/default/example.com/mine', row!.dkim_private_key);
  assert.ok(createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' }).equals(rsa));
  assert.throws(() => openSecret(service.deps.env, 'dkim/default/example.com/other', row!.dkim_private_key));
  const { body } = await service.api('GET', '/auth/audit-log?limit=200');
  const entries = body.data.filter(
    (entry: { resourceType: string; resourceId: string }) =>
      entry.resourceType === 'email_sender' && entry.resourceId === String(id),
  );
  assert.deepEqual(
    entries.map((entry: { action: string }) => entry.action),
    ['email_sender.created'],
  );
  const shown = JSON.stringify([dkim, body, await service.api('GET', `/emails/senders/${id}`)]);
  assert.ok(shown.includes(dkim.publicKey));
  for (const part of [
    row!.dkim_private_key,
    ...['pkcs1', 'pkcs8'].map((type) =>
      pem(type as 'pkcs8')
        .split('\n')
        .at(-4)!,
    ),
  ])
    assert.ok(!shown.includes(part));
});

test('verifying says what the DNS has, and notes it', async () => {
  const { id, dkim } = await create({ email: 'seen@example.com', dkim: { privateKey: pem('pkcs8') } });
  const verify = () => service.api('POST', `/emails/senders/${id}/verify`);
  const key = dkim.publicKey as string;
  assert.equal(dkim.dnsValue, `v=DKIM1; k=rsa; n=perennial:default; p=${key}`);
  const wrong: [string[][] | string, string, RegExp][] = [
    ['ENOTFOUND', 'record_missing', /no TXT record at/],
    ['ENODATA', 'record_missing', /no TXT record/],
    [[], 'record_missing', /no TXT/],
    [[[dkim.dnsValue], [dkim.dnsValue]], 'record_ambiguous', /2 TXT/],
    [[['v=DKIM1; k=rsa; p=']], 'record_wrong', /revoked/],
    [[['v=DKIM1; k=rsa; p=AAAA']], 'record_wrong', /another key/],
    [[['v=DKIM1; k=ed25519; p=AAAA']], 'record_wrong', /key type/],
    [[[`v=DKIM1; h=sha1; p=${key}`]], 'record_wrong', /sha256/],
    [[[`v=DKIM1; s=tlsrpt; p=${key}`]], 'record_wrong', /email/],
    [[[`p=${key}; v=DKIM1`]], 'record_wrong', /begin/],
    [[['hello']], 'record_wrong', /tags/],
    [[['v=DKIM1; k=rsa']], 'record_wrong', /no key/],
    ...['', 'n=; ', 'n=x; ', 'n=perennial:other; ', 'n=perennial:default2; '].map(
      (note): [string[][], string, RegExp] => [[[`v=DKIM1; ${note}p=${key}`]], 'record_wrong', /n=perennial:default/],
    ),
  ];
  for (const [answer, code, words] of wrong) {
    dns.set(dkim.dnsName, answer);
    const { status, body } = await verify();
    assert.deepEqual(
      [status, body.code, body.errors[0].code],
      [409, 'dns_record_invalid', code],
      JSON.stringify(answer),
    );
    assert.match(body.detail, words);
  }
  for (const record of [
    [dkim.dnsValue],
    [`v=DKIM1; k=rsa; n=perennial:default; p=${key.slice(0, 100)}`, key.slice(100)],
    [`p=${key}; n=perennial:default`],
    [`v=DKIM1; t=s; h=sha1:sha256; s=*; n = perennial:default ; p= ${key.slice(0, 50)} ${key.slice(50)} ;`],
  ]) {
    dns.set(dkim.dnsName, [record]);
    const { status, body } = await verify();
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(body.dkim.verifiedAt);
  }
  dns.set(dkim.dnsName, 'ESERVFAIL');
  const unanswered = await verify();
  assert.deepEqual([unanswered.status, unanswered.body.code], [503, 'unavailable']);
  assert.ok((await service.api('GET', `/emails/senders/${id}`)).body.dkim.verifiedAt, 'no answer is no news');
  dns.set(dkim.dnsName, 'ENOTFOUND');
  await verify();
  assert.equal((await service.api('GET', `/emails/senders/${id}`)).body.dkim.verifiedAt, null);
  const plain = await create({ email: 'keyless@example.com' });
  assert.deepEqual((await service.api('POST', `/emails/senders/${plain.id}/verify`)).body.code, 'conflict');
});

test('mail of a sender is signed as it arrives: all of its fields, whatever is in it, and nothing can be added', async () => {
  const { id, dkim } = await create({
    email: 'news@bücher.example',
    name: 'Grüße, "Łódź" <x>',
    replyTo: 'antwort@bücher.example',
    dkim: {},
  });
  assert.equal(dkim.domain, 'xn--bcher-kva.example');
  await verified(id, dkim);
  const contents = {
    ascii: '<p>Hello {{firstName}}</p>',
    umlauts: '<p>Žluťoučký kůň für {{firstName}}</p>',
    long: `<p>${'x'.repeat(3000)} ${' word'.repeat(600)}</p>`,
    dots: '.\n..\n<p>.</p>\n.x\n.\n',
    blanks: '<p>x  \t y</p>   \n\n \t \n\n\n',
  };
  for (const [what, content] of Object.entries(contents)) {
    const subject = what === 'umlauts' ? `Größe und Länge ${'für alle '.repeat(20)}{{firstName}}` : what;
    const templateId = await makeTemplate(service, { subject, content, fromEmail: 'news@bücher.example' });
    const { id: recipientId } = await makeContact(service, {
      firstName: 'Žofie',
      lastName: 'Příšerně Dlouhá-Jménová ze Žluťoučkého Kraje',
    });
    const raw = await received(await send(service, { templateId, recipientId }));
    const [result, ...others] = await judge(raw, { [dkim.dnsName]: dkim.dnsValue });
    assert.deepEqual(
      [result!.status.result, others.length, result!.signingDomain],
      ['pass', 0, 'xn--bcher-kva.example'],
      `${what}: ${JSON.stringify(result)}`,
    );
    const fields = raw
      .slice(0, raw.indexOf('\r\n\r\n'))
      .split(/\r\n(?![ \t])/)
      .map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    assert.equal(fields[0], 'dkim-signature');
    const [, signed = ''] = /\sh=([^;]*);/.exec(raw) ?? [];
    assert.deepEqual(
      signed
        .split(':')
        .map((name) => name.trim())
        .sort(),
      ['from', ...fields.slice(1)].sort(),
    );
    for (const field of [
      'from',
      'to',
      'subject',
      'date',
      'message-id',
      'mime-version',
      'content-type',
      'reply-to',
      'list-unsubscribe',
      'list-unsubscribe-post',
    ])
      assert.ok(fields.includes(field), field);
    for (const [before, after] of [
      ['From: ', 'From: evil@example.org\r\nFrom: '],
      ['Subject: ', 'Subject: Not '],
      ['\r\n\r\n', '\r\n\r\nx'],
    ] as const) {
      const [broken] = await judge(raw.replace(before, after), { [dkim.dnsName]: dkim.dnsValue });
      assert.notEqual(broken!.status.result, 'pass', `${what} with ${after}`);
    }
    assert.match(raw, /^From: =\?UTF-8\?[^]{1,120}<news@xn--bcher-kva\.example>\r$/m);
    assert.match(raw, /^Reply-To: antwort@xn--bcher-kva\.example\r$/m);
  }
});

test('a template says more than its sender; a change of the sender counts at once; MAIL_FROM can be a sender too', async () => {
  const sender = await create({
    email: 'desk@example.com',
    name: 'The Desk',
    replyTo: 'replies@example.com',
    dkim: { selector: 'one' },
  });
  await confirmByMail(service, 'desk@example.com');
  const own = await makeTemplate(service, {
    fromEmail: 'Desk@example.com',
    fromName: 'Own Name',
    replyTo: 'own@example.com',
  });
  const bare = await makeTemplate(service, { fromEmail: 'desk@example.com' });
  const mail = async (templateId: number) =>
    received(await send(service, { templateId, recipientId: (await makeContact(service)).id }));
  const first = await mail(own);
  assert.match(first, /^From: Own Name <Desk@example\.com>\r$/m);
  assert.match(first, /^Reply-To: own@example\.com\r$/m);
  assert.match(first, /^ s=one;\r$/m);
  assert.match(await mail(bare), /^From: The Desk <desk@example\.com>\r$/m);
  await service.api('PUT', `/emails/senders/${sender.id}`, {
    name: 'Another Desk',
    replyTo: null,
    dkim: { selector: 'two' },
  });
  const changed = await mail(bare);
  assert.match(changed, /^From: Another Desk <desk@example\.com>\r$/m);
  assert.match(changed, /^ s=two;\r$/m);
  assert.doesNotMatch(changed, /^Reply-To/m);
  await service.api('PUT', `/emails/senders/${sender.id}`, { dkim: null });
  assert.doesNotMatch(await mail(bare), /^DKIM-Signature/m);

  const anonymous = await makeTemplate(service);
  assert.doesNotMatch(await mail(anonymous), /^DKIM-Signature/m);
  const { dkim } = await create({ email: 'no-reply@example.net', dkim: {} });
  const [result] = await judge(await mail(anonymous), { [dkim.dnsName]: dkim.dnsValue });
  assert.equal(result!.status.result, 'pass');

  const used = await service.api('DELETE', `/emails/senders/${sender.id}`);
  assert.deepEqual(
    [used.status, used.body.code, used.body.errors.map((one: { message: string }) => one.message.split(':')[0])],
    [409, 'in_use', [`template ${own}`, `template ${bare}`]],
  );
  assert.equal(
    (await service.api('PUT', `/emails/senders/${sender.id}`, { email: 'other@example.com' })).body.code,
    'in_use',
  );
});

test('a key that the secret before still opens signs, and is kept by the present one from then on', async () => {
  const { id, dkim } = await create({ email: 'old@example.com', dkim: { selector: 'old' } });
  const env = {
    ...service.deps.env,
    LINK_SECRET: 'another secret that has more than 32 characters',
    LINK_SECRET_PREVIOUS: service.deps.env.LINK_SECRET,
  };
  const sealed = async () =>
    (
      await engineEm(service.deps.orm).transactional((tx) =>
        rows<{ k: string }>(tx, sql`select dkim_private_key as k from email_senders where id = ${id}`),
      )
    )[0]!.k;
  const address = { tenantId: 'default', emailKey: 'old@example.com' };
  const identity = (await new SenderCache(env, service.deps.log).load(engineEm(service.deps.orm), [address]))(address);
  assert.equal(
    createPublicKey(identity!.signer!.key).export({ type: 'spki', format: 'der' }).toString('base64'),
    dkim.publicKey,
  );
  assert.equal(openSecret(env, 'dkim/default/example.com/old', await sealed()).isCurrent, true);
  // By a process that has neither secret mail goes unsigned rather than not at all.
  const stranger = (
    await new SenderCache({ LINK_SECRET: 'x'.repeat(32), LINK_SECRET_PREVIOUS: '' }, service.deps.log).load(
      engineEm(service.deps.orm),
      [address],
    )
  )(address);
  assert.equal(stranger!.signer, null);
});
