import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

test('a contact becomes hot by clicking, enters a campaign for it, and gets its email', async () => {
  const offers = Array.from({ length: 7 }, (_, n) => `<a href="https://example.com/offers/${n}">offer ${n}</a>`);
  const news = await makeTemplate(service, { content: `<p>${offers.join(' ')}</p>` });
  const call = await makeTemplate(service, { subject: 'May we call you?', content: '<p>Shall we talk?</p>' });
  const campaign = await service.api('POST', '/campaigns', {
    name: 'Hot leads',
    steps: [{ id: 'call', type: 'EMAIL', config: { templateId: call } }],
  });
  assert.equal((await service.api('POST', `/campaigns/${campaign.body.id}/start`, {})).status, 202);
  const threshold = await service.api('POST', '/scoring/thresholds', {
    name: 'Hot',
    score: 70,
    action: { type: 'START_CAMPAIGN', campaignId: campaign.body.id },
  });
  assert.equal(threshold.status, 201);
  const [keen, calm] = [await makeContact(service), await makeContact(service)];
  const mailsTo = (address: string) => service.sink.mails.filter((mail) => mail.to[0] === address);
  const linksOf = async (contact: { id: number; email: string }): Promise<string[]> => {
    await untilStatus(service, await send(service, { templateId: news, recipientId: contact.id }), 'SENT');
    const html = String(mailsTo(contact.email)[0]!.parsed.html);
    return [...html.matchAll(/href="([^"]*\/tracking\/click\/[^"]*)"/g)].map(([, url]) =>
      url!.replaceAll('&amp;', '&'),
    );
  };
  const follow = async (url: string): Promise<void> => {
    // As a person's browser: a click at a time, with its page in between.
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
    });
    assert.equal(answer.status, 302);
  };
  const scoreOf = async ({ id }: { id: number }): Promise<Answer['body']> =>
    (await service.api('GET', `/scoring/contacts/${id}`)).body;
  const [offered, other] = [await linksOf(keen), await linksOf(calm)];
  assert.ok(offered.length >= 7);
  await follow(other[0]!);
  // One by one: a program that follows every link at once is a scanner.
  for (const [n, url] of offered.slice(0, 7).entries()) {
    await follow(url);
    await until(`click ${n + 1} is scored`, async () => (await scoreOf(keen)).totalScore >= 10 * (n + 1), 20_000);
  }
  const hot = await scoreOf(keen);
  assert.equal(hot.qualification, 'hot');
  assert.equal(hot.thresholds.find((one: Answer['body']) => one.thresholdId === threshold.body.id).triggered, true);
  const entered = async (): Promise<Answer['body'][]> =>
    (await service.api('GET', `/campaigns/${campaign.body.id}/executions`)).body.data;
  await until('the execution is over', async () => (await entered())[0]?.status === 'COMPLETED', 30_000);
  await until('the email is there', async () => mailsTo(keen.email).length === 2, 30_000);
  assert.deepEqual(mailsTo(keen.email).map((mail) => mail.parsed.subject)[1], 'May we call you?');
  assert.deepEqual(
    (await entered()).map((one) => one.contactId),
    [keen.id],
  );
  assert.deepEqual([mailsTo(calm.email).length, (await scoreOf(calm)).qualification], [1, 'cold']);
});
