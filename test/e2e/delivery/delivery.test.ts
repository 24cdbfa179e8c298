import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { mock } from 'node:test';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { Wake } from '../../../lib/async/wake.ts';
import { makeContact, makeTemplate, published, send, untilStatus } from '../../support/mail/emails.ts';
import { confirmByMail, makeSender } from '../../support/mail/senders.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'senders'] });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const mailsTo = (address: string) => service.sink.mails.filter((mail) => mail.to[0] === address);
const dueNow = (emailId: number) => engine(sql`update emails set next_attempt_at = now() where id = ${emailId}`);
const attempts = async (emailId: number) =>
  (await service.api('GET', `/emails/${emailId}/explain`)).body.attempts.map(
    (attempt: { reply: string }) => attempt.reply,
  );

test('a mail is what its template says of its recipient, with a way out, a pixel and links that prove themselves', async () => {
  await makeSender(service, { email: 'team@example.com' });
  await confirmByMail(service, 'team@example.com');
  const templateId = await makeTemplate(service, {
    subject: 'Hello {{firstName}}, {{data.order}}',
    replyTo: 'reply@example.com',
    fromName: 'The Team',
    fromEmail: 'team@example.com',
    content: '<p>Hello {{firstName}} of {{company}}: <a href="https://example.com/one?x=1&amp;y=2">one</a></p>',
  });
  const contact = await makeContact(service, { company: '<Acme>' });
  // The API takes no such name; what came in otherwise must do no harm either.
  await engine(sql`update contacts set first_name = ${'Zażółć\r\nBcc: x@example.net'} where id = ${contact.id}`);
  const emailId = await send(service, { templateId, recipientId: contact.id, data: { order: 'A-7' } });
  const email = await untilStatus(service, emailId, 'SENT');
  const [mail] = mailsTo(contact.email);
  const { parsed } = mail!;
  assert.equal(mail!.from, 'team@example.com');
  assert.equal(parsed.from!.text, '"The Team" <team@example.com>');
  assert.equal(parsed.replyTo!.text, 'reply@example.com');
  assert.equal(parsed.bcc, undefined);
  assert.match(parsed.subject!, /^Hello Zażółć ?Bcc: x@example\.net, A-7$/);
  assert.match(parsed.text!, /Hello Zażółć.* of <Acme>: one/s);
  assert.match(String(parsed.html), /of &lt;Acme&gt;: <a href="[^"]*\/tracking\/click\//);
  assert.match(String(parsed.html), /Unsubscribe<\/a><br>1 Example Street/);
  const header = (name: string) => parsed.headerLines.find((line) => line.key === name)?.line;
  assert.match(header('list-unsubscribe')!, /^List-Unsubscribe: <http:.*\/emails\/unsubscribe\/[\w-]+>$/);
  assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  assert.match(parsed.messageId!, /@example\.com>$/);
  assert.deepEqual(
    [email.to, email.attempts, email.contentVersion, email.provider],
    [contact.email, 1, 1, service.sink.url.slice(7)],
  );
  assert.match((await attempts(emailId))[0], /^250/);
  const event = await until('EMAIL_SENT is published', async () =>
    (await published(service, 'EMAIL_SENT')).find(({ data }) => data.emailId === emailId),
  );
  assert.deepEqual(
    [event.data.status, event.data.recipientId, event.data.templateId],
    ['SENT', contact.id, templateId],
  );
});

test('transactional mail passes an unsubscribe and offers none', async () => {
  const templateId = await makeTemplate(service, { category: 'transactional' });
  const contact = await makeContact(service);
  await engine(sql`update contacts set status = 'unsubscribed' where id = ${contact.id}`);
  await untilStatus(service, await send(service, { templateId, recipientId: contact.id }), 'SENT');
  const [mail] = mailsTo(contact.email);
  assert.doesNotMatch(mail!.raw, /unsubscribe/i);
});

test('the unsubscribe link of a delivered mail works', async () => {
  const contact = await makeContact(service);
  await untilStatus(
    service,
    await send(service, { templateId: await makeTemplate(service), recipientId: contact.id }),
    'SENT',
  );
  const url = /<(http[^>]*)>/.exec(
    String(mailsTo(contact.email)[0]!.parsed.headerLines.find((line) => line.key === 'list-unsubscribe')!.line),
  )![1]!;
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
  assert.equal(answer.status, 200);
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'unsubscribed');
});

test('a bare address, a test mail, and the web view of what was sent', async () => {
  const templateId = await makeTemplate(service, {
    content: '<p>For {{email}}{{firstName}} <a href="{{webViewUrl}}">view</a></p>',
  });
  const emailId = await send(service, { templateId, to: 'Someone@Example.org' });
  await untilStatus(service, emailId, 'SENT');
  const [mail] = mailsTo('Someone@example.org').length
    ? mailsTo('Someone@example.org')
    : mailsTo('Someone@Example.org');
  assert.match(String(mail!.parsed.html), /For Someone@Example\.org /);
  const view =
    /click\/[^"]*url=([^"]*view[^"]*)"/.exec(String(mail!.parsed.html)) ??
    /href="(http[^"]*\/view\/[^"]*)"/.exec(String(mail!.parsed.html));
  const shown = await fetch(decodeURIComponent(view![1]!));
  assert.equal(shown.status, 200);
  assert.match(shown.headers.get('content-security-policy')!, /sandbox/);
  assert.match(await shown.text(), /For Someone@Example\.org /);
  assert.equal((await service.api('GET', '/emails/view/nothing', undefined, { token: null })).status, 400);

  const tested = await service.api('POST', `/emails/templates/${templateId}/test`, { to: 'editor@example.org' });
  assert.deepEqual([tested.status, tested.body.status], [202, 'QUEUED']);
  await untilStatus(service, tested.body.emailId, 'SENT');
});

test('"later" is tried again after a pause, as another attempt, and accepted once', async () => {
  const contact = await makeContact(service);
  let refusals = 0;
  service.sink.answer((stage, address) => {
    if (address !== contact.email || refusals === 2) return null;
    // First at RCPT, as greylisting does it, then at the final dot.
    if (stage !== (refusals === 0 ? 'RCPT' : 'DATA')) return null;
    refusals += 1;
    return { code: 451, message: `come back, ${refusals}` };
  });
  const emailId = await send(service, { templateId: await makeTemplate(service), recipientId: contact.id });
  for (const attempt of [1, 2]) {
    const put = await until('it is put off', async () => {
      const [row] = await engine<{ status: string; attempt: number; wait: number }>(sql`
        select status, attempt, extract(epoch from next_attempt_at - updated_at)::float8 as wait from emails where id = ${emailId}`);
      return row!.status === 'QUEUED' && row!.attempt === attempt && row;
    });
    assert.ok(Math.abs(put.wait - 60 * attempt) < 1, `waits ${put.wait} s after attempt ${attempt}`);
    await dueNow(emailId);
  }
  const email = await untilStatus(service, emailId, 'SENT');
  assert.equal(email.attempts, 3);
  assert.equal(mailsTo(contact.email).length, 1);
  assert.deepEqual(
    (await attempts(emailId)).map((reply: string) => reply.slice(0, 3)),
    ['451', '451', '250'],
  );
  service.sink.answer(() => null);
});

test('a refusal, at RCPT or at the dot, fails it and bounces the contact', async () => {
  const templateId = await makeTemplate(service);
  for (const stage of ['RCPT', 'DATA'] as const) {
    const contact = await makeContact(service);
    service.sink.answer((at, address) =>
      at === stage && address === contact.email ? { code: 550, message: 'no such user' } : null,
    );
    const emailId = await send(service, { templateId, recipientId: contact.id });
    const email = await untilStatus(service, emailId, 'FAILED');
    assert.deepEqual([email.reason, email.attempts, email.sentAt], ['rejected', 1, null]);
    assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'bounced');
    const event = await until('EMAIL_SENT says so', async () =>
      (await published(service, 'EMAIL_SENT')).find(({ data }) => data.emailId === emailId),
    );
    assert.equal(event.data.status, 'FAILED');
    const again = await service.api('POST', '/emails/send', { templateId, recipientId: contact.id });
    assert.equal(again.body.status, 'SUPPRESSED');
  }
  service.sink.answer(() => null);
});

test('an address that no server can be told fails by itself, and is no bounce of anyone', async () => {
  const templateId = await makeTemplate(service);
  const contact = await makeContact(service);
  await engine(sql`update contacts set email = 'with blank@example.org' where id = ${contact.id}`);
  const email = await untilStatus(service, await send(service, { templateId, recipientId: contact.id }), 'FAILED');
  assert.deepEqual([email.reason, email.attempts], ['address_invalid', 0]);
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'active');
});

test('a template that is edited or deleted while its mail is queued: the newest content, or none', async () => {
  const [edited, deleted, contact] = [
    await makeTemplate(service),
    await makeTemplate(service),
    await makeContact(service),
  ];
  const hold = (templateId: number) =>
    engine<{ id: number }>(sql`
    insert into emails (tenant_id, send_key, template_id, contact_id, lane, accepted_at, next_attempt_at)
    values ('default', ${`held-${templateId}`}, ${templateId}, ${contact.id}, 'journey', now(), 'infinity') returning id`);
  const [[first], [second]] = [await hold(edited), await hold(deleted)];
  await service.api('PUT', `/emails/templates/${edited}`, { subject: 'Edited' });
  await service.api('DELETE', `/emails/templates/${deleted}`);
  await dueNow(first!.id);
  await dueNow(second!.id);
  const email = await untilStatus(service, first!.id, 'SENT');
  assert.equal(email.contentVersion, 2);
  assert.equal(mailsTo(contact.email)[0]!.parsed.subject, 'Edited');
  assert.equal((await untilStatus(service, second!.id, 'SUPPRESSED')).reason, 'template_deleted');
});

test('from the call to the mail nobody waits until it is time to look: each is woken', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the Wake
  const { wait } = Wake.prototype;
  // It sleeps on without a wake.
  const waiting = mock.method(Wake.prototype, 'wait', function (this: Wake) {
    const alarm = mock.method(globalThis, 'setTimeout', () => undefined);
    try {
      return wait.call(this);
    } finally {
      alarm.mock.restore();
    }
  });
  onTestFinished(() => waiting.mock.restore());
  for (let n = 1; n <= 9; n += 1) {
    await send(service, { templateId, recipientId: contact.id });
    await until('it is there', () => mailsTo(contact.email).length === n);
  }
});
