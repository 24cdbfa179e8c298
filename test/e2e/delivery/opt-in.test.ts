import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { erasedKey } from '../../../domain/addresses/digest.ts';
import { newTenant, problemsOf } from '../../support/accounts.ts';
import { linkOf, mailsTo, nthMail } from '../../support/mail/account-mails.ts';
import { makeContact, makeTemplate, published } from '../../support/mail/emails.ts';
import { readPage } from '../../support/mail/pages.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['senders', 'relay', 'intake', 'consumers'] });
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>) => service.api(...call);
async function ok(...call: Parameters<Service['api']>) {
  const answer = await api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

let made = 0;
const address = () => `opt-in-${(made += 1)}@example.org`;
const fields = [
  { name: 'email', label: 'Email', type: 'email', required: true },
  { name: 'firstName', label: 'First name', type: 'text' },
  { name: 'locale', label: 'Language', type: 'text' },
];
const makeForm = (more: object = { doubleOptIn: true }) =>
  ok('POST', '/forms', { name: 'Newsletter', fields, ...more });
const makeList = async (more: object = {}): Promise<number> =>
  (await ok('POST', '/contacts/lists', { name: 'Readers', ...more })).id;
const submit = (form: { id: number }, email: string, more: object = {}, headers: Record<string, string> = {}) =>
  ok('POST', `/forms/${form.id}/submit`, { email, ...more }, { token: null, headers }) as Promise<{
    contactId: number;
  }>;
const statusOf = async (id: number): Promise<string> => (await ok('GET', `/contacts/${id}`)).status;
const members = async (listId: number): Promise<number[]> =>
  (await ok('GET', `/contacts/lists/${listId}/contacts`)).data.map(({ id }: { id: number }) => id);
const visit = (method: string, link: URL, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  api(method, link.pathname.replace('/api/v1', ''), body, { token: null, headers });
const requests = (contactId: number) =>
  engine<{ confirmed: boolean }>(
    sql`select confirmed_at is not null as confirmed from opt_ins where contact_id = ${contactId} order by id`,
  );
const confirmationsTo = async (contactId: number) =>
  (
    await engine<{ status: string }>(
      sql`select status from emails where contact_id = ${contactId} and send_key like 'opt\\_in:%'`,
    )
  ).length;
/** As if everything that was asked and mailed had been `hours` ago. */
async function passed(contactId: number, hours: number) {
  await engine(
    sql`update opt_ins set requested_at = requested_at - make_interval(hours => ${hours}) where contact_id = ${contactId}`,
  );
  await engine(
    sql`update emails set created_at = created_at - make_interval(hours => ${hours}) where contact_id = ${contactId}`,
  );
}

test('a form asks a new contact to confirm; the mail arrives, a link alone does nothing, the button makes it active', async () => {
  const list = await makeList();
  const form = await makeForm({ doubleOptIn: true, listId: list });
  const { body: segment } = await api('POST', '/contacts/segments', {
    name: 'Reachable',
    type: 'dynamic',
    filter: {
      op: 'and',
      conditions: [
        { field: 'status', operator: 'eq', value: 'active' },
        { field: 'listId', operator: 'eq', value: list },
      ],
    },
  });
  const email = address();
  const { contactId } = await submit(form, email, { firstName: 'Ada' });
  assert.deepEqual(
    [await statusOf(contactId), await members(list), await requests(contactId)],
    ['pending', [], [{ confirmed: false }]],
  );
  // Marketing mail waits for it.
  const marketing = await ok('POST', '/emails/send', {
    templateId: await makeTemplate(service),
    recipientId: contactId,
  });
  assert.deepEqual((await ok('GET', `/emails/${marketing.emailId}`)).reason, 'contact_pending');

  const mail = await nthMail(service, email);
  assert.equal(mail.parsed.subject, 'Please confirm your email address');
  assert.deepEqual(
    await engine(sql`select lane from emails where contact_id = ${contactId} and send_key like 'opt\\_in:%'`),
    [{ lane: 'journey' }],
    'a rush of submissions does not delay the emails of accounts',
  );
  const link = linkOf(mail);
  assert.doesNotMatch(
    `${String(mail.parsed.html)}${mail.parsed.text}`.replaceAll(link.href, ''),
    /Ada|Perennial|tracking|<img/,
    'nothing that was typed, nothing that is tracked',
  );
  assert.doesNotMatch(mail.raw, /^List-Unsubscribe/im);
  assert.match(mail.raw, new RegExp(`^To: <?${email}>?\\r?$`, 'm'), 'nor a name that somebody else may have typed');
  assert.match(link.href, new RegExp(`^${service.url}/api/v1/emails/confirm/[\\w-]+$`));
  for (const method of ['HEAD', 'GET', 'GET'])
    assert.equal((await visit(method, new URL(`${link.href}?utm_source=scanner`))).status, 200);
  const asked = readPage(await visit('GET', link));
  assert.deepEqual([asked.heading, asked.forms], ['Confirm your email address', [[]]]);
  assert.equal(await statusOf(contactId), 'pending');

  // A double click, and a few more.
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() =>
      visit('POST', link, new URLSearchParams(), { 'user-agent': 'A browser', 'x-request-id': 'confirming' }),
    ),
  );
  for (const answer of answers) assert.deepEqual([answer.status, readPage(answer).heading], [200, 'Thank you']);
  assert.equal(readPage(await visit('GET', link)).heading, 'Thank you');
  const contact = await ok('GET', `/contacts/${contactId}`);
  assert.deepEqual([contact.status, contact.version, await members(list)], ['active', 2, [contactId]]);
  assert.deepEqual(
    (await ok('GET', `/contacts/segments/${segment.id}/contacts`)).data.map(({ id }: { id: number }) => id),
    [contactId],
  );
  const {
    optIns: [proof],
  } = await ok('GET', `/contacts/${contactId}/data-export`);
  assert.deepEqual([proof.formId, proof.listId, proof.userAgent], [form.id, list, 'A browser']);
  assert.ok(proof.requestedAt < proof.confirmedAt && /127\.0\.0\.1/.test(proof.ip));
  const events = await until('both changes are told', async () => {
    const updated = (await published(service, 'CONTACT_UPDATED')).filter(({ data }) => data.contactId === contactId);
    const entered = (await published(service, 'SEGMENT_ENTERED')).filter(({ data }) => data.contactId === contactId);
    return updated.length > 0 && entered.length === 2 && { updated, entered };
  });
  assert.deepEqual(
    events.updated.map(({ data }) => data.changed),
    [['status']],
    'once',
  );
  assert.deepEqual(events.entered.map(({ data }) => data.segmentId).sort(), [list, segment.id].sort());
  const after = await ok('POST', '/emails/send', { templateId: await makeTemplate(service), recipientId: contactId });
  assert.equal(after.status, 'QUEUED');
  assert.equal(await confirmationsTo(contactId), 1);
});

test('a list asks for every form that adds to it; a form that asks nothing adds at once', async () => {
  const list = await makeList({ doubleOptIn: true });
  const form = await makeForm({ listId: list });
  const { contactId } = await submit(form, address());
  assert.deepEqual([await statusOf(contactId), await members(list)], ['pending', []]);
  await ok('PUT', `/contacts/lists/${list}`, { doubleOptIn: false });
  const other = await submit(form, address());
  assert.deepEqual([await statusOf(other.contactId), await members(list)], ['active', [other.contactId]]);
  // Who is pending stays so, and may be put into a list by hand.
  await submit(form, (await ok('GET', `/contacts/${contactId}`)).email);
  assert.deepEqual(
    [await statusOf(contactId), (await members(list)).sort()],
    ['pending', [contactId, other.contactId].sort()],
  );
});

test('doubleOptIn is of static lists and forms, read and put back', async () => {
  const list = await ok('POST', '/contacts/lists', { name: 'L', doubleOptIn: true });
  assert.equal(list.doubleOptIn, true);
  assert.deepEqual(await ok('PUT', `/contacts/lists/${list.id}`, list), list);
  assert.equal(
    (await ok('POST', '/contacts/segments', { name: 'L', type: 'static', doubleOptIn: true })).doubleOptIn,
    true,
  );
  const filter = { field: 'email', operator: 'exists' };
  assert.deepEqual(
    problemsOf(await api('POST', '/contacts/segments', { name: 'D', type: 'dynamic', filter, doubleOptIn: true })),
    ['/doubleOptIn not_allowed'],
  );
  const dynamic = await ok('POST', '/contacts/segments', { name: 'D', type: 'dynamic', filter });
  assert.equal(dynamic.doubleOptIn, false);
  assert.deepEqual(await ok('PUT', `/contacts/segments/${dynamic.id}`, dynamic), dynamic);
  assert.deepEqual(problemsOf(await api('PUT', `/contacts/segments/${dynamic.id}`, { doubleOptIn: true })), [
    '/doubleOptIn not_allowed',
  ]);
  assert.deepEqual(problemsOf(await api('PUT', `/contacts/lists/${list.id}`, { doubleOptIn: null })), [
    '/doubleOptIn type',
  ]);
  const form = await makeForm();
  assert.deepEqual([form.doubleOptIn, (await ok('PUT', `/forms/${form.id}`, form)).doubleOptIn], [true, true]);
  assert.deepEqual(
    problemsOf(await api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: address(), status: 'pending' })),
    ['/status invalid_status'],
  );
});

test('who is active needs no second confirmation; who bounced, complained or is archived gets no mail and stays', async () => {
  const list = await makeList();
  const form = await makeForm({ doubleOptIn: true, listId: list });
  for (const status of ['active', 'bounced', 'complained', 'archived']) {
    const contact = await makeContact(service, { email: address() });
    await engine(sql`update contacts set status = ${status} where id = ${contact.id}`);
    assert.equal((await submit(form, contact.email)).contactId, contact.id);
    assert.deepEqual(
      [await statusOf(contact.id), await confirmationsTo(contact.id), await requests(contact.id)],
      [status, 0, []],
    );
    assert.ok((await members(list)).includes(contact.id));
  }
  const complained = address();
  await ok('POST', '/emails/suppressions', { email: complained, reason: 'complained' });
  const { contactId } = await submit(form, complained);
  assert.deepEqual([await statusOf(contactId), await confirmationsTo(contactId)], ['complained', 0]);
});

test('who has unsubscribed stays so until the link is confirmed; then the suppression is gone, and the log says by whom', async () => {
  const form = await makeForm();
  const contact = await makeContact(service, { email: address() });
  const { id: suppressionId } = await ok('POST', '/emails/suppressions', {
    email: contact.email,
    reason: 'unsubscribed',
  });
  await submit(form, contact.email);
  assert.equal(await statusOf(contact.id), 'unsubscribed');
  const link = linkOf(await nthMail(service, contact.email));
  await visit('GET', link);
  assert.equal(await statusOf(contact.id), 'unsubscribed');
  assert.equal((await visit('POST', link)).status, 200);
  assert.equal(await statusOf(contact.id), 'active');
  assert.deepEqual((await ok('GET', `/emails/suppressions?email=${contact.email}`)).data, []);
  const {
    data: [entry],
  } = await ok(
    'GET',
    `/auth/audit-log?resourceType=suppression&resourceId=${suppressionId}&action=suppression.deleted`,
  );
  assert.deepEqual(
    [entry.actorType, entry.before, entry.after],
    ['system', { reason: 'unsubscribed', source: 'api' }, { by: 'opt_in' }],
  );
  assert.equal(
    (await ok('POST', '/emails/send', { templateId: await makeTemplate(service), to: contact.email })).status,
    'QUEUED',
  );
  // Unsubscribed below, the contact would get it or not.
  await nthMail(service, contact.email, 2);

  // The link is spent: unsubscribing holds against it.
  await ok('PUT', `/contacts/${contact.id}`, { status: 'unsubscribed' });
  for (const method of ['GET', 'POST']) {
    const answer = await visit(method, link);
    assert.deepEqual([answer.status, answer.body.code], [400, 'token_invalid']);
  }
  assert.equal(await statusOf(contact.id), 'unsubscribed');

  // Who signs up again gets another, however soon: no mail of before confirms it. Then one is enough again.
  await submit(form, contact.email);
  await submit(form, contact.email);
  assert.equal(await confirmationsTo(contact.id), 2);
  await visit('POST', linkOf(await nthMail(service, contact.email, 3)));
  assert.equal(await statusOf(contact.id), 'active');
});

test('an address that was erased after it unsubscribed comes back by a confirmation too', async () => {
  const form = await makeForm();
  const email = address();
  await engine(
    sql`insert into suppressions (tenant_id, email_key, reason) values ('default', ${erasedKey('default', email)}, 'unsubscribed')`,
  );
  const { contactId } = await submit(form, email);
  assert.equal(await statusOf(contactId), 'unsubscribed');
  await visit('POST', linkOf(await nthMail(service, email)));
  assert.equal(await statusOf(contactId), 'active');
  assert.deepEqual(await engine(sql`select 1 from suppressions where email_key = ${erasedKey('default', email)}`), []);
});

test('forms are no mail cannon: one mail in 15 minutes, five a day, and one link settles all that was asked', async () => {
  const [one, two] = [await makeList(), await makeList()];
  const [form, other] = [
    await makeForm({ doubleOptIn: true, listId: one }),
    await makeForm({ doubleOptIn: true, listId: two }),
  ];
  const email = address();
  const answers = await Promise.all([...Array(6)].map((_, n) => submit(n % 2 ? other : form, email)));
  await submit(form, email.toUpperCase());
  const [{ contactId }] = answers as [{ contactId: number }];
  assert.deepEqual(
    [
      new Set(answers.map((answer) => answer.contactId)).size,
      await confirmationsTo(contactId),
      (await requests(contactId)).length,
    ],
    [1, 1, 2],
  );
  for (let sent = 2; sent <= 5; sent += 1) {
    await passed(contactId, 1);
    await submit(form, email);
    await submit(form, email);
    assert.equal(await confirmationsTo(contactId), sent);
  }
  await passed(contactId, 1);
  await submit(form, email);
  assert.equal(await confirmationsTo(contactId), 5, 'enough for a day');
  await passed(contactId, 22);
  await submit(form, email);
  assert.equal(await confirmationsTo(contactId), 6);

  // Any of the links that are not too old; all that was asked for in these days.
  await visit('POST', linkOf(await nthMail(service, email, 2)));
  assert.deepEqual(
    [await statusOf(contactId), await members(one), await members(two)],
    ['active', [contactId], [contactId]],
  );
  assert.ok((await requests(contactId)).every(({ confirmed }) => confirmed));
  assert.equal(readPage(await visit('POST', linkOf(await nthMail(service, email, 1)))).heading, 'Thank you');
  assert.equal((await ok('GET', `/contacts/${contactId}`)).version, 2);
  await nthMail(service, email, 6);
  assert.equal(mailsTo(service, email).length, 6);
});

test('a link works for seven days, for the address that it went to, and for nothing else', async () => {
  const form = await makeForm();
  const email = address();
  const { contactId } = await submit(form, email);
  const link = linkOf(await nthMail(service, email));
  const refused = async (what: string) => {
    for (const method of ['GET', 'POST']) {
      const answer = await visit(method, link, undefined, { accept: 'text/html', 'accept-language': 'pl' });
      assert.deepEqual([answer.status, readPage(answer).heading], [400, 'Ten link nie działa'], what);
    }
    assert.equal(await statusOf(contactId), 'pending', what);
  };
  await ok('PUT', `/contacts/${contactId}`, { email: `moved-${email}` });
  await refused('the contact has another address now');
  await ok('PUT', `/contacts/${contactId}`, { email });
  await passed(contactId, 7 * 24 + 1);
  await refused('too old');
  await passed(contactId, -2);
  await engine(sql`update contacts set status = 'archived' where id = ${contactId}`);
  assert.equal((await visit('POST', link)).status, 400);
  assert.equal(await statusOf(contactId), 'archived');
  await engine(sql`update contacts set status = 'pending' where id = ${contactId}`);
  await engine(sql`insert into suppressions (tenant_id, email_key, reason) values ('default', ${email}, 'complained')`);
  await refused('it complained meanwhile');
  await engine(sql`delete from suppressions where email_key = ${email}`);

  const [, , , , , token] = link.pathname.split('/');
  for (const path of ['unsubscribe', 'preferences', 'view'])
    assert.equal(
      (await api('GET', `/emails/${path}/${token}`, undefined, { token: null })).status,
      400,
      'a token of another kind',
    );
  assert.equal((await visit('POST', link)).status, 200);
  assert.equal(await statusOf(contactId), 'active');
  assert.equal((await api('DELETE', `/contacts/${contactId}`)).status, 204);
  assert.equal((await visit('POST', link)).status, 400);
});

test("a token that anybody could make up is none: sent data is no key, another tenant's request is another", async () => {
  const form = await makeForm();
  const { contactId } = await submit(form, address());
  const [{ id }] = (await engine<{ id: number }>(sql`select id from opt_ins where contact_id = ${contactId}`)) as [
    { id: number },
  ];
  // A template of the tenant's own, with the data of such a mail, prints no link.
  const templateId = await makeTemplate(service, { category: 'transactional', content: '<p>[{{ data.url }}]</p>' });
  const to = address();
  await ok('POST', '/emails/send', { templateId, to, data: { optInId: id } });
  assert.match(String((await nthMail(service, to)).parsed.html), /\[\]/);
  const { links } = service.deps;
  const them = await newTenant(service);
  for (const forged of [
    links.sign('opt-in', [them.user.tenantId as string, String(id), 'x']),
    links.sign('opt-in', ['default', String(id), 'x']),
    links.sign('opt-in', ['default', 'x', 'x']),
    links.sign('opt-in', ['default']),
  ]) {
    assert.equal((await api('POST', `/emails/confirm/${forged}`, undefined, { token: null })).status, 400);
  }
  assert.equal(await statusOf(contactId), 'pending');
});

test("the mail speaks the contact's language, else the visitor's", async () => {
  const form = await makeForm();
  for (const [more, header, language, subject] of [
    [{}, 'ja, fr;q=0.8, en;q=0.5', 'fr', 'Veuillez confirmer votre adresse e-mail'],
    [{ locale: 'de-AT' }, 'fr', 'de', 'Bitte bestätigen Sie Ihre E-Mail-Adresse'],
    [{ locale: 'ja' }, 'pt-BR', 'pt', 'Confirme o seu endereço de e-mail'],
    [{}, 'ja', 'en', 'Please confirm your email address'],
    [{}, 'pl', 'pl', 'Potwierdź swój adres e-mail'],
    [{}, 'es-419', 'es', 'Confirme su dirección de correo'],
  ] as const) {
    const email = address();
    await submit(form, email, more, { 'accept-language': header });
    const mail = await nthMail(service, email);
    assert.equal(mail.parsed.subject, subject);
    assert.match(String(mail.parsed.html), new RegExp(`<html lang="${language}">`));
    assert.equal(
      readPage(await visit('GET', linkOf(mail), undefined, { 'accept-language': language })).language,
      language,
    );
  }
});

test('a browser that submits the hosted page is asked by mail too, and sees what every form shows', async () => {
  const form = await makeForm({ doubleOptIn: true, successMessage: 'Look into your mailbox' });
  const { token } = await ok('GET', `/forms/${form.id}/token`, undefined, { token: null });
  const email = address();
  const answer = await api('POST', `/forms/${form.id}/submit`, new URLSearchParams({ email, _token: token }), {
    token: null,
    headers: { accept: 'text/html', 'accept-language': 'de' },
  });
  assert.equal(answer.status, 200);
  assert.match(answer.body, /Look into your mailbox/);
  assert.match((await nthMail(service, email)).parsed.subject!, /^Bitte/);
});

test('what a contact was asked goes with it into a merge, and is gone with it', async () => {
  const form = await makeForm();
  const source = await submit(form, address());
  const target = await makeContact(service, { email: address() });
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.contactId });
  assert.equal((await requests(target.id)).length, 1);
  assert.equal(await statusOf(target.id), 'pending', 'the stricter status');
  assert.equal((await api('DELETE', `/contacts/${target.id}`)).status, 204);
  assert.deepEqual(await requests(target.id), []);
  // The form may go: what it asked for is kept.
  const { contactId } = await submit(form, address());
  assert.equal((await api('DELETE', `/forms/${form.id}`)).status, 204);
  assert.equal((await requests(contactId)).length, 1);
});
