import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { simpleParser } from 'mailparser';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    worker: true,
    env: { ENABLE_RATE_LIMITING: 'true', FORM_SUBMISSIONS_PER_MINUTE: '10', RATE_LIMIT_BURST: '1000' },
  });
});
afterAll(() => service.stop());

const fields = [
  { name: 'email', label: 'Email', type: 'email' },
  { name: 'wish', label: 'Your <b>wish</b>', type: 'textarea' },
  { name: 'sure', label: 'Sure', type: 'checkbox' },
  {
    name: 'topics',
    label: 'Topics',
    type: 'multiselect',
    options: [
      { value: 'a', label: 'A' },
      { value: 'b, c', label: 'B' },
    ],
  },
];
async function make(more: object = {}): Promise<number> {
  const made = await service.api('POST', '/forms', { name: 'Wishes', fields, ...more });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  // A name that an earlier release took.
  await tenantEm(service.deps.orm, 'default').transactional((tx) =>
    rows(tx, sql`update forms set name = ${'Wishes\r\nBcc: x@example.com'} where id = ${made.body.id}`),
  );
  return made.body.id;
}
const submit = (id: number, body: object) => service.api('POST', `/forms/${id}/submit`, body, { token: null });

test('each address gets the values, and answers the submitter', async () => {
  const id = await make({ notifyEmails: ['sales@example.com', 'help@example.com'] });
  const { body } = await submit(id, {
    email: 'asks@example.com',
    wish: '{{email}} <script>x</script>',
    sure: 'on',
    topics: ['a', 'b, c', 'a'],
  });
  assert.equal(body.success, true, JSON.stringify(body));
  const mails = await until('both are there', () => {
    const found = service.sink.mails.filter(({ to }) => /^(sales|help)@/.test(to[0]!));
    return found.length === 2 && found;
  });
  for (const { raw } of mails) {
    const mail = await simpleParser(raw);
    assert.equal(mail.replyTo?.text, 'asks@example.com');
    assert.equal(mail.bcc, undefined);
    assert.match(mail.subject!, /^Wishes Bcc: x@example\.com: new submission$/);
    for (const line of [
      'Email: asks@example.com',
      'Your <b>wish</b>: {{email}} <script>x</script>',
      'Sure: yes',
      'Topics: a;"b, c"',
    ])
      assert.ok(mail.text!.includes(line), `${line} in ${mail.text}`);
    assert.doesNotMatch(mail.html as string, /<script|<b>/);
    assert.doesNotMatch(raw.toString(), /List-Unsubscribe|tracking/);
  }
  // In the ledger, without the values after an erasure of the person.
  const ledger = () =>
    tenantEm(service.deps.orm, 'default').transactional((tx) =>
      rows<{ status: string; lane: string; data: object | null }>(
        tx,
        sql`select status, lane, data from emails where send_key like ${`form-submission/${body.submissionId}/%`}`,
      ),
    );
  await until('both are settled', async () => (await ledger()).every(({ status }) => status === 'SENT'));
  // Not in the lane of emails of accounts: anybody can cause any number of them.
  assert.deepEqual(
    (await ledger()).map(({ lane }) => lane),
    ['journey', 'journey'],
  );
  const erased = await service.api('POST', `/contacts/${body.contactId}/erase`);
  assert.ok(erased.status < 300, JSON.stringify(erased.body));
  await until(
    'their values are erased',
    async () => !(await ledger()).some(({ data }) => JSON.stringify(data).includes('asks@')),
  );
});

test('the template is called what it is, also one of an earlier release', async () => {
  const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
    tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
  const names = () => query(sql`select name from email_templates where system_key = 'notification'`);
  const id = await make({ notifyEmails: ['sales@example.com'] });
  await submit(id, { email: 'names@example.com' });
  await query(sql`update email_templates set name = 'Earlier' where system_key = 'notification'`);
  await submit(id, { email: 'others@example.com' });
  assert.deepEqual(await names(), [{ name: 'Notification of a campaign, form or score' }]);
});

test('a submitter whose address is not ASCII, or not asked, is named in the text', async () => {
  const id = await make({ notifyEmails: ['staff@example.com'], enableProgressiveProfiling: true });
  const mailAbout = (wish: string) =>
    until(`the mail about ${wish}`, async () => {
      for (const { to, raw } of service.sink.mails) {
        const mail = to[0] === 'staff@example.com' && (await simpleParser(raw));
        if (mail && mail.text!.includes(wish)) return { mail, head: raw.split('\r\n\r\n')[0]! };
      }
      return null;
    });
  await submit(id, { email: 'jürgen@müller.example', wish: 'one' });
  const one = await mailAbout('one');
  assert.equal(one.mail.replyTo, undefined);
  assert.match(one.head, /^[\x00-\x7f]*$/);
  assert.ok(one.mail.text!.includes('Email: jürgen@müller.example'), one.mail.text);
  // An international domain has an ASCII form.
  const { body } = await submit(id, { email: 'juergen@müller.example', wish: 'two' });
  assert.match((await mailAbout('two')).head, /^Reply-To: <?juergen@xn--mller-kva\.example/m);
  const known = await submit(id, { wish: 'three', _contactToken: body.contactToken });
  assert.equal(known.status, 200, JSON.stringify([body, known.body]));
  const three = await mailAbout('three');
  assert.match(three.head, /^Reply-To: <?juergen@xn--mller-kva\.example/m);
  assert.ok(three.mail.text!.includes('Email: juergen@müller.example'), three.mail.text);
});

test('one address may submit a form only so often; other forms are not concerned', async () => {
  const [id, other] = [await make(), await make()];
  const statuses: number[] = [];
  let refused: Answer | undefined;
  for (let n = 0; n < 30; n += 1) {
    const answer = await submit(id, { email: `n${n}@example.com` });
    statuses.push(answer.status);
    if (answer.status === 429) refused = answer;
  }
  const taken = statuses.filter((status) => status === 200).length;
  // The burst, and what a busy machine lets become free meanwhile.
  assert.ok(taken >= 20 && taken < 30, String(statuses));
  assert.deepEqual(statuses.slice(0, 20), Array(20).fill(200));
  assert.ok(refused);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(refused.body.code, 'too_many_requests');
  const { body } = await service.api('GET', `/forms/${id}/submissions?includeTotal=true`);
  assert.equal(body.page.total, taken);
  assert.equal((await submit(other, { email: 'other@example.com' })).status, 200);
});
