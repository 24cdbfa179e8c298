import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
before(async () => { service = await startService({ worker: ['consumers', 'relay', 'senders'] }); });
after(() => service.stop());

test('a direct send arrives within a second', async () => {
  const template = await service.api('POST', '/emails/templates', {
    name: 'Welcome', subject: 'Hello {{firstName}}', content: '<p>Hi {{firstName}}, <a href="https://example.com/a?x=1&y=2">look</a> or <a href="https://example.com/b">there</a></p>',
  });
  assert.equal(template.status, 201, JSON.stringify(template.body));
  const contact = await service.api('POST', '/contacts', { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.org' });
  assert.equal(contact.status, 201, JSON.stringify(contact.body));
  const begin = performance.now();
  const sent = await service.api('POST', '/emails/send', { templateId: template.body.id, recipientId: contact.body.id });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  const mail = await until('the mail is there', () => service.sink.mails[0]);
  console.log('ms', performance.now() - begin);
  console.log(mail.raw);
  const email = await until('SENT', async () => { const e = await service.api('GET', `/emails/${sent.body.emailId}`); return e.body.status === 'SENT' && e.body; });
  console.log(email, JSON.stringify((await service.api('GET', `/emails/${sent.body.emailId}/explain`)).body, null, 1));
  for (let i = 0; i < 5; i++) {
    const begin = performance.now();
    await service.api('POST', '/emails/send', { templateId: template.body.id, recipientId: contact.body.id });
    await until('the mail is there', () => service.sink.mails[i + 1]);
    console.log('ms', performance.now() - begin);
  }
  assert.fail('show');
});
