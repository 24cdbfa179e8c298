import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { simpleParser } from 'mailparser';
import { sql } from '../../../db/orm.ts';
import { engine, linkOf, mailsTo, nthMail } from '../../support/mail/account-mails.ts';
import { makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { readPage } from '../../support/mail/pages.ts';
import { confirmationPath, confirmByMail, makeSender } from '../../support/mail/senders.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { newMember } from '../../support/users.ts';

let service: Service;
/** The service as an Admin of a tenant calls it. */
let a: Service;
let b: Service;
/** TXT records by name. */
const dns = new Map<string, string>();

beforeAll(async () => {
  service = await startService({
    worker: ['intake', 'consumers', 'relay', 'senders', 'temporal'],
    env: { ENABLE_MULTI_TENANT: 'true', MAIL_FROM: 'Perennial <no-reply@example.net>' },
  });
  service.deps.resolveTxt = (name) =>
    dns.has(name)
      ? Promise.resolve([[dns.get(name)!]])
      : Promise.reject(Object.assign(new Error('queryTxt'), { code: 'ENOTFOUND' }));
  const asMember = async (): Promise<Service> => {
    const { token, user } = await newMember(service.api);
    return {
      ...service,
      admin: { token, tenantId: user.tenantId },
      api: (method, path, body, options) => service.api(method, path, body, { token, ...options }),
    };
  };
  [a, b] = [await asMember(), await asMember()];
});
afterAll(() => service.stop());

let mails = 0;
/** Sends a template to an address that got nothing yet; returns the address and the email's id. */
async function mail(of: Service, templateId: number): Promise<{ to: string; emailId: number }> {
  mails += 1;
  const to = `recipient${mails}@example.org`;
  return { to, emailId: await send(of, { templateId, to }) };
}
const rawOf = async (of: Service, templateId: number): Promise<string> => {
  const { to, emailId } = await mail(of, templateId);
  await untilStatus(of, emailId, 'SENT');
  return mailsTo(service, to)[0]!.raw;
};
const violations = (answer: { body: { errors?: { path: string; code: string }[] } }) =>
  answer.body.errors?.map(({ path, code }) => `${path} ${code}`);
const refusedAt = async (of: Service, fromEmail: string) => {
  const answer = await of.api('POST', '/emails/templates', {
    name: 'Mail',
    subject: 'Hello',
    content: '<p>Hello</p>',
    fromEmail,
  });
  assert.deepEqual([answer.status, violations(answer)], [400, ['/fromEmail sender_unverified']], fromEmail);
};
const plain = { content: '<p>Hello</p>', category: 'transactional' };
/** Has a template name an address as one that is older than proofs does. */
async function olderTemplate(of: Service, fromEmail: string, fields: object = plain): Promise<number> {
  const id = await makeTemplate(of, { ...fields });
  await engine(service, sql`update email_templates set from_email = ${fromEmail} where id = ${id}`);
  await engine(service, sql`update email_template_versions set from_email = ${fromEmail} where template_id = ${id}`);
  return id;
}
const gates = async (of: Service, emailId: number) =>
  (await of.api('GET', `/emails/${emailId}/explain`)).body.gates as {
    gate: string;
    passed: boolean;
    reason: string | null;
  }[];

test('no tenant mails from an address that another has proved, by whatever way', async () => {
  const address = 'ceo@victim.example';
  await makeSender(a, { email: address, name: 'The CEO' });
  await confirmByMail(a, address);
  assert.match(
    await rawOf(a, await makeTemplate(a, { ...plain, fromEmail: address })),
    /^From: The CEO <ceo@victim\.example>\r$/m,
  );

  const twin = await makeSender(b, { email: address, name: 'The CEO', dkim: { domain: 'victim.example' } });
  assert.deepEqual([twin.verified, twin.confirmedAt, twin.verifiedDomain], [false, null, null]);
  await refusedAt(b, address);
  await refusedAt(b, 'CEO@Victim.example');
  await refusedAt(b, 'other@victim.example');
  const put = await b.api('PUT', `/emails/templates/${await makeTemplate(b)}`, {
    fromEmail: address,
    name: ' ',
    replyTo: 'nobody',
  });
  assert.deepEqual(violations(put), ['/name required', '/replyTo invalid_email', '/fromEmail sender_unverified']);

  const templateId = await olderTemplate(b, address);
  const marketing = await olderTemplate(b, address, {});
  const { to, emailId } = await mail(b, templateId);
  const tested = await b.api('POST', `/emails/templates/${templateId}/test`, { to: 'tester@example.org' });
  const contact = (await b.api('POST', '/contacts', { firstName: 'Bo', lastName: 'Bo', email: 'bo@example.org' })).body;
  const listId = (await b.api('POST', '/contacts/lists', { name: 'All', contactIds: [contact.id] })).body.id;
  const mailing = (
    await b.api('POST', '/emails/campaigns', { name: 'All', templateId: marketing, listId, scheduleType: 'immediate' })
  ).body;
  const journey = (
    await b.api('POST', '/campaigns', {
      name: 'All',
      steps: [{ id: 'mail', type: 'EMAIL', config: { templateId: marketing } }],
    })
  ).body;
  assert.equal((await b.api('POST', `/campaigns/${journey.id}/start`, { contactIds: [contact.id] })).status, 202);
  const ofCampaign = (campaignId: number): Promise<number> =>
    until(
      `campaign ${campaignId} has an email`,
      async () => (await b.api('GET', `/emails?campaignId=${campaignId}`)).body.data[0]?.id,
    );
  for (const id of [emailId, tested.body.emailId, await ofCampaign(mailing.id), await ofCampaign(journey.id)]) {
    const { reason } = await untilStatus(b, id, 'SUPPRESSED');
    assert.equal(reason, 'sender_unverified');
    assert.deepEqual(
      (await gates(b, id)).filter(({ passed }) => !passed).map(({ gate, reason: why }) => [gate, why]),
      [['sender', 'sender_unverified']],
    );
  }
  for (const recipient of [to, 'tester@example.org', 'bo@example.org'])
    assert.deepEqual(mailsTo(service, recipient), []);
  // The owner of the address was asked, and allows nothing by reading.
  assert.equal(mailsTo(service, address).length, 2);
});

test('a change of a template whose address is proved no more tells that beside what else is wrong', async () => {
  const id = await olderTemplate(a, 'lost@victim.example');
  const put = async (body: object) => violations(await a.api('PUT', `/emails/templates/${id}`, body));
  // One is refused by its schema, the other by the domain.
  for (const name of ['', ' '])
    assert.deepEqual((await put({ name }))!.sort(), [
      `/fromEmail sender_unverified`,
      `/name ${name === '' ? 'too_short' : 'required'}`,
    ]);
  assert.deepEqual(
    await put({ name: '', fromEmail: 5 }),
    ['/name too_short', '/fromEmail type'],
    'of the one that it takes the place of nothing is said',
  );
  assert.deepEqual(await put({ name: '', fromEmail: null }), ['/name too_short']);
});

test('the link of the mail shows who asks, changes nothing by itself, and confirms once', async () => {
  const { id } = await makeSender(b, { email: 'desk@b.example' });
  const asked = await nthMail(service, 'desk@b.example');
  assert.match(asked.raw, /^From: Perennial <no-reply@example\.net>\r$/m);
  for (const part of [asked.parsed.text, String(asked.parsed.html)])
    assert.ok(part!.includes(b.admin.tenantId) && part!.includes('desk@b.example'), part);
  const path = await confirmationPath(b, 'desk@b.example');
  const token = path.slice(path.lastIndexOf('/') + 1);
  for (const language of ['en', 'de', 'fr', 'es', 'pl', 'pt']) {
    const page = readPage(
      await service.api('GET', `${path}?utm=scanner`, undefined, {
        token: null,
        headers: { 'accept-language': language },
      }),
    );
    assert.equal(page.language, language);
    assert.ok(page.text.includes('desk@b.example') && page.text.includes(b.admin.tenantId), page.text);
    assert.deepEqual(page.forms, [[]]);
  }
  assert.equal((await service.api('HEAD', path, undefined, { token: null })).status, 200);
  assert.equal((await b.api('GET', `/emails/senders/${id}`)).body.verified, false);
  await refusedAt(b, 'desk@b.example');
  const stored = JSON.stringify(
    await engine(
      service,
      sql`select c, e.data from sender_confirmations c left join emails e on e.tenant_id = c.tenant_id and e.send_key = 'confirm_sender:' || c.id`,
    ),
  );
  assert.ok(stored.includes('"hash"') && !stored.includes(token), 'the token is kept nowhere');
  for (const altered of [`${token}A`, token.slice(1), 'x']) {
    assert.equal(
      (await service.api('POST', `/emails/confirm-sender/${altered}`, undefined, { token: null })).body.code,
      'token_invalid',
    );
  }
  const done = readPage(await service.api('POST', path, new URLSearchParams(), { token: null }));
  assert.equal(done.heading, 'Thank you');
  const { body } = await b.api('GET', `/emails/senders/${id}`);
  assert.deepEqual([body.verified, typeof body.confirmedAt, body.verifiedDomain], [true, 'string', null]);
  for (const method of ['GET', 'POST'])
    assert.equal((await service.api(method, path, undefined, { token: null })).body.code, 'token_invalid', method);
  assert.equal((await b.api('POST', `/emails/senders/${id}/confirmation`)).body.code, 'conflict');
  assert.deepEqual(
    violations(await b.api('PUT', `/emails/senders/${id}`, { confirmedAt: null, verifiedDomain: 'b.example' })),
    ['/confirmedAt read_only', '/verifiedDomain read_only'],
  );
  assert.equal((await b.api('PUT', `/emails/senders/${id}`, body)).status, 200);
  assert.match(
    await rawOf(b, await makeTemplate(b, { ...plain, fromEmail: 'Desk@b.example' })),
    /^From: Perennial <Desk@b\.example>\r$/m,
  );
  const { data } = (await b.api('GET', '/auth/audit-log?limit=200')).body;
  assert.deepEqual(
    data
      .filter((entry: { resourceId: string }) => entry.resourceId === String(id))
      .map((entry: { action: string }) => entry.action)
      .filter((action: string) => action.startsWith('email_sender.c')),
    ['email_sender.confirmed', 'email_sender.created'],
  );
});

test('a link is dead after a later one, in another tenant, after its time, and for another address or sender', async () => {
  const dead = async (path: string) =>
    assert.equal((await service.api('POST', path, undefined, { token: null })).body.code, 'token_invalid');
  const { id } = await makeSender(b, { email: 'again@b.example' });
  const first = await confirmationPath(b, 'again@b.example');
  const again = await b.api('POST', `/emails/senders/${id}/confirmation`);
  assert.deepEqual(
    [again.status, again.headers.get('location'), again.body.status],
    [202, `/api/v1/emails/${again.body.emailId}`, 'QUEUED'],
  );
  const second = await confirmationPath(b, 'again@b.example', 2);
  await dead(first);
  assert.equal((await a.api('POST', `/emails/senders/${id}/confirmation`)).status, 404);
  await engine(service, sql`update sender_confirmations set expires_at = now() where sender_id = ${id}`);
  await dead(second);

  assert.equal((await b.api('POST', `/emails/senders/${id}/confirmation`)).status, 202);
  const third = await confirmationPath(b, 'again@b.example', 3);
  assert.equal((await b.api('PUT', `/emails/senders/${id}`, { email: 'moved@b.example' })).body.verified, false);
  await dead(third);
  const moved = await confirmationPath(b, 'moved@b.example');
  assert.equal((await b.api('DELETE', `/emails/senders/${id}`)).status, 204);
  await makeSender(b, { email: 'moved@b.example' });
  await dead(moved);
  const fourth = await confirmationPath(b, 'moved@b.example', 2);
  const twins = await Promise.all([1, 2].map(() => service.api('POST', fourth, undefined, { token: null })));
  assert.deepEqual(twins.map(({ status }) => status).sort(), [200, 400]);

  // What is confirmed is the address, and no other that the sender gets later.
  const confirmed = (await b.api('GET', '/emails/senders')).body.data.find(
    (one: { email: string }) => one.email === 'moved@b.example',
  );
  const renamed = await b.api('PUT', `/emails/senders/${confirmed.id}`, { email: 'ceo@victim.example.com' });
  assert.deepEqual([renamed.body.verified, renamed.body.confirmedAt], [false, null]);
  await refusedAt(b, 'ceo@victim.example.com');
});

test('mails to confirm are few: to an address, and of a tenant', async () => {
  const { id } = await makeSender(b, { email: 'flood@b.example' });
  for (let n = 2; n <= 5; n += 1) assert.equal((await b.api('POST', `/emails/senders/${id}/confirmation`)).status, 202);
  const refused = await b.api('POST', `/emails/senders/${id}/confirmation`);
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests']);
  assert.ok(Number(refused.headers.get('retry-after')) > 3000);
  // Nor by making the sender anew.
  await b.api('DELETE', `/emails/senders/${id}`);
  assert.equal((await b.api('POST', '/emails/senders', { email: 'FLOOD@b.example' })).status, 429);
  await engine(
    service,
    sql`
    insert into sender_confirmations (id, tenant_id, sender_id, address_digest, token_hash, expires_at)
    select gen_random_uuid(), ${b.admin.tenantId}, 1, 'x' || n, 'x', now() + interval '1 day' from generate_series(1, 100) n`,
  );
  assert.equal((await b.api('POST', '/emails/senders', { email: 'one-more@b.example' })).status, 429);
  await engine(service, sql`update sender_confirmations set created_at = now() - interval '2 hours'`);
  assert.equal((await b.api('POST', '/emails/senders', { email: 'one-more@b.example' })).status, 201);
});

test('mails to confirm an address are few, whichever tenants ask', async () => {
  const address = 'wanted@victim.example';
  const make = async (of: Service) => (await makeSender(of, { email: address })).id as number;
  const again = async (of: Service, id: number) => (await of.api('POST', `/emails/senders/${id}/confirmation`)).status;
  const [ofA, ofB] = [await make(a), await make(b)];
  assert.deepEqual([await again(a, ofA), await again(b, ofB), await again(a, ofA)], [202, 202, 202]);
  const refused = await service.api('POST', '/emails/senders', { email: 'Wanted@victim.example' });
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests']);
  assert.ok(Number(refused.headers.get('retry-after')) > 600);
  assert.deepEqual([await again(a, ofA), await again(b, ofB)], [429, 429]);
  assert.equal((await a.api('POST', '/emails/senders', { email: 'another@victim.example' })).status, 201);
  await until('five mails are there', () => mailsTo(service, address).length === 5);
  await engine(service, sql`update rate_buckets set at = at - interval '12 minutes' where bucket like 'mail/%'`);
  assert.deepEqual([await again(b, ofB), await again(a, ofA)], [202, 429]);
});

test('a key in the DNS proves its domain for the tenant that made it, or that the record names', async () => {
  const pem = generateKeyPairSync('rsa', { modulusLength: 1024 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const verify = (of: Service, id: number) => of.api('POST', `/emails/senders/${id}/verify`);
  const made = await makeSender(a, { email: 'news@made.example', dkim: {} });
  dns.set(made.dkim.dnsName, made.dkim.dnsValue);
  const verified = await verify(a, made.id);
  assert.deepEqual(
    [verified.body.verified, verified.body.confirmedAt, verified.body.verifiedDomain],
    [true, null, 'made.example'],
  );
  const copy = await makeSender(b, { email: 'news@made.example', dkim: { selector: made.dkim.selector } });
  assert.deepEqual(violations(await verify(b, copy.id)), ['/dkim record_wrong']);
  await refusedAt(b, 'news@made.example');

  // One key in the hands of two: whose the record names.
  const [ofA, ofB] = await Promise.all(
    [a, b].map((of) => makeSender(of, { email: 'news@brought.example', dkim: { selector: 'ours', privateKey: pem } })),
  );
  assert.equal(ofA.dkim.dnsName, ofB.dkim.dnsName);
  assert.ok(ofA.dkim.dnsValue.includes(`; n=perennial:${a.admin.tenantId}; `), ofA.dkim.dnsValue);
  for (const record of [
    `v=DKIM1; k=rsa; p=${ofA.dkim.publicKey}`,
    ofB.dkim.dnsValue.replace(b.admin.tenantId, `${a.admin.tenantId}x`),
  ]) {
    dns.set(ofA.dkim.dnsName, record);
    for (const [of, { id }] of [
      [a, ofA],
      [b, ofB],
    ])
      assert.deepEqual(violations(await verify(of, id)), ['/dkim record_wrong']);
  }
  dns.set(ofA.dkim.dnsName, ofA.dkim.dnsValue);
  assert.equal((await verify(a, ofA.id)).body.verified, true);
  assert.match((await verify(b, ofB.id)).body.detail, /n=perennial:/);
  await refusedAt(b, 'news@brought.example');
});

test('a verified domain is any address of it and below it, signed by its key, and stays through a change of keys', async () => {
  const { id, dkim } = await makeSender(a, { email: 'news@domain.example', name: 'Domain News', dkim: {} });
  await refusedAt(a, 'other@domain.example');
  dns.set(dkim.dnsName, dkim.dnsValue);
  await a.api('POST', `/emails/senders/${id}/verify`);
  const own = await makeTemplate(a, { ...plain, fromEmail: 'news@domain.example' });
  const other = await makeTemplate(a, { ...plain, fromEmail: 'other@mail.domain.example' });
  for (const outside of ['x@notdomain.example', 'x@domain.example.org', 'x@other.example']) await refusedAt(a, outside);
  const [ownRaw, otherRaw] = [await rawOf(a, own), await rawOf(a, other)];
  assert.match(ownRaw, /^From: Domain News <news@domain\.example>\r$/m);
  assert.match(otherRaw, /^From: Perennial <other@mail\.domain\.example>\r$/m);
  for (const raw of [ownRaw, otherRaw])
    assert.match(raw, new RegExp(`^DKIM-Signature:.* d=domain\\.example;\\r\\n s=${dkim.selector};`, 'm'));
  // No mail is needed to a further sender of the domain.
  const third = await makeSender(a, { email: 'third@domain.example' });
  assert.deepEqual([third.verified, third.confirmedAt, third.verifiedDomain], [true, null, null]);

  const rolled = (await a.api('PUT', `/emails/senders/${id}`, { dkim: { selector: 'next' } })).body;
  assert.deepEqual([rolled.dkim.verifiedAt, rolled.verified, rolled.verifiedDomain], [null, true, 'domain.example']);
  assert.equal((await a.api('POST', `/emails/senders/${id}/verify`)).status, 409, 'the next record is not there yet');
  assert.equal((await a.api('GET', `/emails/senders/${id}`)).body.verified, true);
  assert.match(await rawOf(a, other), /^ s=next;\r$/m);

  // Who alone proves the domain can not go while templates need it.
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PUT', { dkim: null }],
  ] as const) {
    const answer = await a.api(method, `/emails/senders/${id}`, body);
    assert.deepEqual(
      [answer.status, answer.body.errors.map((one: { message: string }) => one.message.split(':')[0])],
      [409, [`template ${own}`, `template ${other}`]],
      method,
    );
  }
  dns.set(rolled.dkim.dnsName, rolled.dkim.dnsValue);
  assert.equal((await a.api('POST', `/emails/senders/${id}/verify`)).status, 200);
  dns.delete(rolled.dkim.dnsName);
  assert.equal((await a.api('POST', `/emails/senders/${id}/verify`)).status, 409);
  const gone = (await a.api('GET', `/emails/senders/${id}`)).body;
  assert.deepEqual([gone.verified, gone.verifiedDomain], [false, null]);
  const { emailId } = await mail(a, other);
  assert.equal((await untilStatus(a, emailId, 'SUPPRESSED')).reason, 'sender_unverified');
});

test("the default sender is everybody's, and system mail is nobody's own", async () => {
  const templateId = await makeTemplate(b, { ...plain, fromEmail: 'No-Reply@example.net' });
  assert.match(await rawOf(b, templateId), /^From: Perennial <No-Reply@example\.net>\r$/m);
  await refusedAt(b, 'ceo@example.net');
  await makeSender(b, { email: 'no-reply@example.net', name: 'Your Bank', replyTo: 'thief@b.example' });
  await makeSender(b, { email: 'asked@victim.example' });
  const { raw } = await nthMail(service, 'asked@victim.example');
  assert.match(raw, /^From: Perennial <no-reply@example\.net>\r$/m);
  assert.doesNotMatch(raw, /Bank|thief/);
  assert.equal(linkOf(await nthMail(service, 'asked@victim.example')).origin, new URL(service.url).origin);
});

test('a name beside the address is one name, whatever is in it', async () => {
  const evil = 'evil@attacker.example';
  for (const name of [
    'A\r\nBcc: evil@attacker.example',
    'A\nB',
    'A\u0000B',
    'A\u0085B',
    'A\tB',
    '\u202eevil',
    `a\u2028Bcc: ${evil}`,
    'a\u2029b',
  ]) {
    assert.deepEqual(
      violations(await b.api('POST', '/emails/templates', { name: 'x', subject: 'x', content: 'x', fromName: name })),
      ['/fromName invalid_character'],
      JSON.stringify(name),
    );
    assert.deepEqual(
      violations(await b.api('POST', '/emails/senders', { email: 'x@b.example', name })),
      ['/name invalid_character'],
      JSON.stringify(name),
    );
  }
  const names = [
    `${evil}, Friend`,
    `"${evil}" <${evil}>`,
    `<${evil}>`,
    'a"b',
    'a\\',
    'a\\"',
    `a\\" <${evil}>, "`,
    `(${evil})`,
    `Group: ${evil};`,
    `=?utf-8?q?=22_=3Cevil=40attacker.example=3E?=`,
    `Łódź <${evil}>, "x`,
    `${'x'.repeat(150)}, ${evil}`,
    `${'Ł'.repeat(120)}" <${evil}>`,
  ];
  for (const name of names) {
    const raw = await rawOf(b, await makeTemplate(b, { ...plain, fromName: name }));
    const head = raw.slice(0, raw.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/);
    assert.equal(head.filter((line) => /^from:/i.test(line)).length, 1, name);
    assert.ok(
      head.every((line) => !/^b?cc:/i.test(line)),
      name,
    );
    const from = (await simpleParser(Buffer.from(raw, 'latin1'))).from!.value;
    assert.deepEqual(
      from.map(({ address, name: shown }) => [address, shown]),
      [['no-reply@example.net', name]],
      name,
    );
  }
});
