import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { untilStatus } from '../support/emails.ts';
import { startService, type Service } from '../support/service.ts';
import { newMember, type Member } from '../support/users.ts';

let service: Service;
let a: Member;
let b: Member;
before(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'senders'], env: { ENABLE_MULTI_TENANT: 'true', MAIL_FROM: 'Perennial <no-reply@example.net>' } });
  a = await newMember(service.api);
  b = await newMember(service.api);
});
after(() => service.stop());

const as = (member: Member) => (method: string, path: string, body?: unknown) => service.api(method, path, body, { token: member.token });
const template = (fields: object) => ({ name: 'Mail', subject: 'Hello', content: '<p>Hello</p>', category: 'transactional', ...fields });

test('no tenant mails from an address that another has proved', async () => {
  await as(a)('POST', '/emails/senders', { email: 'ceo@victim.example', name: 'The CEO' });
  await as(b)('POST', '/emails/senders', { email: 'ceo@victim.example', name: 'The CEO' });
  const made = await as(b)('POST', '/emails/templates', template({ fromEmail: 'ceo@victim.example' }));
  if (made.status === 201) {
    const sent = await as(b)('POST', '/emails/send', { templateId: made.body.id, to: 'mark@example.org' });
    await untilStatus({ ...service, api: (method, path, body) => as(b)(method, path, body) }, sent.body.emailId, 'SENT');
    assert.doesNotMatch(service.sink.mails.find((mail) => mail.to[0] === 'mark@example.org')!.raw, /^From: .*ceo@victim\.example/m);
  }
  assert.deepEqual([made.status, made.body.errors], [400, [{ path: '/fromEmail', code: 'sender_unverified', message: made.body.errors?.[0].message }]]);
});
