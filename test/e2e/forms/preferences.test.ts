import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sql } from '../../../db/orm.ts';
import { startChromium } from '../../support/forms/chromium.ts';
import { visit } from '../../support/forms/site.ts';
import { channelsOf, type Person } from '../../support/channels.ts';
import { pushing } from '../../support/channels/pushing.ts';
import { texting } from '../../support/channels/texting.ts';
import { makeTemplate, send } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let browser: Browser;
let channels: ReturnType<typeof channelsOf>;
let topics: number[];
beforeAll(async () => {
  service = await startService();
  browser = await startChromium();
  channels = channelsOf(service);
  topics = [];
  for (const topic of [{ name: 'Offers', description: 'What is cheaper this week' }, { name: 'News' }])
    topics.push((await service.api('POST', '/emails/topics', topic)).body.id);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** The page of a person, as a mail leads to it. */
async function pageOf(person: Person): Promise<string> {
  const emailId = await send(service, { templateId: await makeTemplate(service), recipientId: person.id });
  await channels.engine(sql`update emails set status = 'SENT', to_address = ${person.email} where id = ${emailId}`);
  const subject = { tenantId: 'default', emailId, contactId: person.id, address: null };
  return `${service.url}/api/v1/emails/preferences/${service.deps.links.unsubscribeToken(subject)}`;
}
const preferencesOf = async ({ id }: Person): Promise<Answer['body']> =>
  (await service.api('GET', `/channels/preferences?contactId=${id}`)).body;
const wantedOf = async (person: Person): Promise<string[]> =>
  (await preferencesOf(person)).topics.flatMap(
    ({ name, ...on }: { name: string; email: boolean; sms: boolean; push: boolean }) =>
      (['email', 'sms', 'push'] as const).flatMap((channel) => (on[channel] ? [`${name} ${channel}`] : [])),
  );

test('without another channel the page is about email, and about quiet hours', async () => {
  const person = await channels.makePerson({ timezone: 'Europe/Berlin' });
  const visitor = await visit(browser);
  await visitor.open(await pageOf(person));
  const { page } = visitor;
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Your email preferences');
  assert.equal(await page.getByRole('table').count(), 0);
  assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Berlin');
  await page.getByLabel('From').fill('22:00');
  await page.getByLabel('To', { exact: true }).fill('22:00');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal((await preferencesOf(person)).quietHours, null);
  await page.getByLabel('From').fill('21:30');
  await page.getByLabel('To', { exact: true }).fill('08:00');
  await page.getByLabel('Time zone').selectOption('America/New_York');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').waitFor();
  const quietHours = { from: '21:30', to: '08:00', timezone: 'America/New_York' };
  assert.deepEqual((await preferencesOf(person)).quietHours, quietHours);
  await visitor.picture('preferences-email');
  await visitor.checkPage();
  await page.getByLabel('From').fill('');
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').waitFor();
  assert.equal((await preferencesOf(person)).quietHours, null);
  await visitor.close();
});

test('a column for each channel that the tenant uses; what is unticked is off on that channel alone', async () => {
  await texting(service).makeTwilio();
  await pushing(service).makeSite();
  const person = await channels.makePerson();
  await channels.consent(person.number);
  const visitor = await visit(browser);
  const url = await pageOf(person);
  await visitor.open(url);
  const { page } = visitor;
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Your preferences');
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['Email', 'Text', 'Notification']);
  assert.equal((await wantedOf(person)).length, 6);
  await page.getByRole('checkbox', { name: 'Offers Text' }).uncheck();
  await page.getByRole('checkbox', { name: 'News Notification' }).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').waitFor();
  assert.deepEqual(await wantedOf(person), ['News email', 'News sms', 'Offers email', 'Offers push']);
  assert.equal(await page.getByRole('checkbox', { name: 'Offers Text' }).isChecked(), false);
  await visitor.picture('preferences');
  await visitor.checkPage();

  // A page from before there were other channels, and a mailbox provider's click, leave them alone.
  const old = new URLSearchParams([['topic', String(topics[0])]]);
  assert.equal((await fetch(url, { method: 'POST', body: old })).status, 200);
  assert.deepEqual(await wantedOf(person), ['News sms', 'Offers email', 'Offers push']);
  const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  assert.equal((await fetch(url, { method: 'POST', body: oneClick })).status, 200);
  const { channels: after } = await preferencesOf(person);
  assert.deepEqual([after.email.wanted, after.sms.consent], [false, 'subscribed']);

  // What is left can still be chosen.
  await visitor.open(url);
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['Text', 'Notification']);
  await visitor.checkPage();
  await visitor.close();
});

test('nothing at all, anywhere: all channels are off, and what waits is suppressed', async () => {
  const person = await channels.makePerson();
  await channels.consent(person.number);
  await channels.device(person.id);
  const queued = await service.api('POST', '/channels/sms/send', { recipientId: person.id, body: 'Sale' });
  assert.equal(queued.body.status, 'QUEUED');
  const visitor = await visit(browser);
  const url = await pageOf(person);
  await visitor.open(url);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Unsubscribe from everything' }).click();
  await page.getByRole('heading', { name: 'You get nothing more from us' }).waitFor();
  await visitor.picture('preferences-nothing');
  await visitor.checkPage();
  const { channels: off } = await preferencesOf(person);
  assert.deepEqual([off.email.wanted, off.sms.consent, off.sms.source], [false, 'unsubscribed', 'page']);
  const { body } = await service.api('GET', `/channels/messages/${queued.body.messageId}`);
  assert.deepEqual([body.status, body.reason], ['SUPPRESSED', 'no_consent']);
  const push = await service.api('POST', '/channels/check', { contactId: person.id, channel: 'push' });
  assert.equal(push.body.allowed, false);
  // Nothing is left to choose; a second press changes nothing.
  await page.goto(url);
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
  const again = new URLSearchParams({ unsubscribe: 'anywhere' });
  assert.equal((await fetch(url, { method: 'POST', body: again })).status, 200);
  const consents = await channels.engine(sql`select 1 from text_consents where address = ${person.number}`);
  assert.equal(consents.length, 3);
  await visitor.close();
});
