import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { problemsOf } from '../../support/accounts.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const path = '/channels/settings';
const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const INITIAL = {
  caps: [],
  sendWindows: { email: null, sms: { from: '08:00', to: '21:00', timezone: 'contact' }, push: null },
  timezone: 'UTC',
  smsConsent: 'required',
  stopWords: [],
  helpText: null,
  stopText: null,
  optOutText: null,
  maxHoldHours: 24,
};

test('settings are read, changed by field, put back, and are one row with those of email', async () => {
  assert.deepEqual((await service.api('GET', path)).body, { ...INITIAL, version: 1 });
  const caps = [
    { channels: ['email', 'sms', 'push'], max: 3, perDays: 7 },
    { channels: ['email'], max: 2, perDays: 1 },
  ];
  const push = { days: ['monday'], from: '09:00', to: '17:00', timezone: 'Europe/Berlin' };
  const put = await service.api('PUT', path, {
    caps,
    sendWindows: { push },
    timezone: 'America/New_York',
    stopWords: ['basta'],
    optOutText: 'STOP to end',
    maxHoldHours: 48,
  });
  const expected = {
    ...INITIAL,
    caps,
    sendWindows: { ...INITIAL.sendWindows, push },
    timezone: 'America/New_York',
    stopWords: ['basta'],
    optOutText: 'STOP to end',
    maxHoldHours: 48,
  };
  assert.deepEqual([put.status, put.body], [200, { ...expected, version: put.body.version }]);
  const read = await service.api('GET', path);
  assert.deepEqual((await service.api('PUT', path, read.body)).body, read.body, 'put back as it was read');

  assert.deepEqual((await service.api('GET', '/emails/settings')).body, {
    frequencyCap: { maxEmails: 2, perDays: 1 },
    sendWindow: null,
    version: read.body.version,
  });
  await service.api('PUT', '/emails/settings', { frequencyCap: null });
  const after = (await service.api('GET', path)).body;
  assert.deepEqual([after.caps, after.sendWindows], [[caps[0]], expected.sendWindows]);
  assert.equal((await service.api('PUT', path, { caps: [] }, { headers: { 'if-match': '"1"' } })).status, 412);
  const audit = await service.api('GET', '/auth/audit-log?limit=10');
  assert.deepEqual(
    audit.body.data
      .map(({ action }: { action: string }) => action)
      .filter((a: string) => a.endsWith('settings.updated')),
    ['email_settings.updated', 'channel_settings.updated'],
  );
});

test('channels may have a cap a day and one a week; the settings of email show the first of email alone', async () => {
  const cap = (max: number, perDays: number, ...channels: string[]) => ({ channels, max, perDays });
  const all = cap(9, 7, 'email', 'sms');
  const setCaps = async (...caps: object[]) => {
    const answer = await service.api('PUT', path, { caps });
    assert.deepEqual([answer.status, answer.body.caps], [200, caps]);
  };
  const setForEmail = async (frequencyCap: { maxEmails: number; perDays: number } | null) => {
    const answer = await service.api('PUT', '/emails/settings', { frequencyCap });
    assert.deepEqual([answer.status, answer.body.frequencyCap], [200, frequencyCap]);
    return (await service.api('GET', path)).body.caps;
  };
  const daily = { maxEmails: 1, perDays: 1 };
  await setCaps(all, cap(1, 1, 'email'), cap(3, 7, 'email'));
  assert.deepEqual((await service.api('GET', '/emails/settings')).body.frequencyCap, daily);
  assert.deepEqual(await setForEmail(daily), [all, cap(1, 1, 'email'), cap(3, 7, 'email')], 'nothing changes');
  assert.deepEqual(await setForEmail({ maxEmails: 2, perDays: 1 }), [cap(2, 1, 'email'), all, cap(3, 7, 'email')]);
  assert.deepEqual(await setForEmail({ maxEmails: 5, perDays: 7 }), [cap(5, 7, 'email'), all], 'one for as many days');
  await setCaps(cap(5, 7, 'email'), all, cap(1, 1, 'email'));
  assert.deepEqual(await setForEmail(null), [all]);
});

test('all that is wrong is reported at once, at its place', async () => {
  const answer = await service.api('PUT', path, {
    caps: [
      { channels: ['sms', 'sms'], max: 1, perDays: 1 },
      { channels: ['email', 'sms'], max: 1, perDays: 1 },
      { channels: ['sms', 'email'], max: 2, perDays: 1 },
      { channels: ['sms', 'email'], max: 0, perDays: 366 },
    ],
    sendWindows: { sms: { from: '21:00', to: '08:00', timezone: 'Nowhere' } },
    timezone: 'contact',
    smsConsent: 'none',
    maxHoldHours: 169,
    stopWords: [''],
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(problemsOf(answer).toSorted(), [
    '/caps/0/channels duplicate',
    '/caps/2/channels duplicate',
    '/caps/3/max out_of_range',
    '/caps/3/perDays out_of_range',
    '/maxHoldHours out_of_range',
    '/sendWindows/sms/timezone timezone',
    '/sendWindows/sms/to range',
    '/smsConsent enum',
    '/stopWords/0 too_short',
    '/timezone timezone',
  ]);
});

test('other hours make what waits due at once, but not what a provider asked to come later', async () => {
  const contact = await makeContact(service);
  const queue = async (attempt: number, wait: string, isHeld: boolean) => {
    const [row] = await engine<{ id: number }>(sql`
      with m as (insert into messages (tenant_id, send_key, channel, category, contact_id) values ('default', gen_random_uuid()::text, 'sms', 'marketing', ${contact.id}) returning id)
      insert into message_sends (tenant_id, message_id, type, lane, attempt, next_attempt_at, held_until)
      select 'default', id, 'sms', 'journey', ${attempt}, now() + ${wait}::interval, case when ${isHeld}::boolean then now() + ${wait}::interval end
      from m returning id`);
    return row!.id;
  };
  const held = [await queue(0, '9 hours', true), await queue(2, '9 hours', true), await queue(1, '5 minutes', true)];
  const retried = [await queue(1, '5 minutes', false), await queue(2, '9 hours', false)];
  await service.api('PUT', path, { caps: [{ channels: ['sms'], max: 5, perDays: 1 }] });
  const waiting = () =>
    engine<{ id: number }>(
      sql`select id from message_sends where id = any(${[...held, ...retried]}::bigint[]) and next_attempt_at > now() order by id`,
    );
  assert.equal((await waiting()).length, 5, 'caps are no hours');
  await service.api('PUT', path, { sendWindows: { sms: null } });
  assert.deepEqual(
    await waiting(),
    retried.map((id) => ({ id })),
  );
});
