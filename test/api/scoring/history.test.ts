import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { runEventHandler } from '../../../transport/event-handler.ts';
import type { AnyEvent } from '../../../events/contracts.ts';
import { scoringHandler } from '../../../worker/consumers/scoring.ts';
import { startService, type Service } from '../../support/service.ts';
import { eventOf, publish, settled } from '../../support/events.ts';

let service: Service;
const contacts: number[] = [];
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, statement));

beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
  const make = async (path: string, body: object): Promise<number> => (await service.api('POST', path, body)).body.id;
  const companies = [
    await make('/contacts/companies', { name: 'A' }),
    await make('/contacts/companies', { name: 'B' }),
  ];
  for (let n = 0; n < 6; n += 1) {
    contacts.push(
      await make('/contacts', {
        firstName: 'P',
        lastName: 'Q',
        email: `p${n}@example.com`,
        ...(n < 4 ? { companyId: companies[n % 2] } : {}),
      }),
    );
  }
  const list = await make('/contacts/lists', { name: 'Reached' });
  for (const score of [10, 40, 90])
    await make('/scoring/thresholds', { name: `At ${score}`, score, action: { type: 'ADD_TO_LIST', listId: list } });
  await make('/scoring/rules', { name: 'Down', eventType: 'EMAIL_BOUNCED', points: -30 });
  await make('/scoring/rules', {
    name: 'Capped',
    eventType: 'EMAIL_CLICKED',
    points: 7,
    weight: 1.5,
    maxPerContact: 25,
  });
  await make('/scoring/rules', { name: 'Company', eventType: 'WEBSITE_VISITED', points: 3, target: 'company' });
});
afterAll(() => service.stop());

const POINTS = { EMAIL_OPENED: 5, EMAIL_CLICKED: 10, FORM_SUBMITTED: 25, WEBSITE_VISITED: 2, EMAIL_BOUNCED: -30 };
type Kind = keyof typeof POINTS;
const happening = fc.record({
  kind: fc.constantFrom(...(Object.keys(POINTS) as Kind[])),
  who: fc.nat(5),
  automated: fc.boolean(),
  copies: fc.integer({ min: 1, max: 3 }),
});
const dataOf = (kind: Kind, contactId: number, automated: boolean): object =>
  ({
    EMAIL_OPENED: { emailId: 1, contactId, automated },
    EMAIL_CLICKED: { emailId: 1, contactId, automated, url: 'https://example.com' },
    FORM_SUBMITTED: { formId: 1, contactId, submissionId: 1 },
    WEBSITE_VISITED: { contactId },
    EMAIL_BOUNCED: { emailId: 1, contactId, hard: false },
  })[kind];

/** The totals of contacts after all rules of each event. */
const afterEvents = sql`
  select distinct on (subject_id, event_id) subject_id, total from score_history
  where subject = 'contact' order by subject_id, event_id, id desc`;

test('totals are the sum of history, and of what happened, with two consumers and repeated events in any order', async () => {
  const expected = new Map<number, number>();
  const clicks = new Map<number, number>();
  const second = await runEventHandler(service.deps, scoringHandler);
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { minLength: 20, maxLength: 120 }),
        fc.integer(),
        async (happenings, seed) => {
          const events: AnyEvent[] = [];
          for (const { kind, who, automated, copies } of happenings) {
            const id = contacts[who]!;
            const event = eventOf(kind, dataOf(kind, id, automated));
            events.push(...Array.from({ length: copies }, () => event));
            const counts = !(automated && (kind === 'EMAIL_OPENED' || kind === 'EMAIL_CLICKED'));
            if (!counts) continue;
            expected.set(id, (expected.get(id) ?? 0) + POINTS[kind]);
            if (kind === 'EMAIL_CLICKED') clicks.set(id, (clicks.get(id) ?? 0) + 1);
          }
          // Some order that follows from the seed, so that copies lie apart.
          const shuffled = events
            .map((event, n) => ({ event, key: Math.imul(n + 1, seed | 1) >>> 0 }))
            .sort((x, y) => x.key - y.key)
            .map(({ event }) => event);
          await publish(service, ...shuffled);
          await settled(service, 'scoring');

          assert.deepEqual(
            await query(sql`
        select coalesce(t.subject, h.subject) as subject, coalesce(t.subject_id, h.subject_id) as id, t.total, h.total as sum
        from score_totals t full join (select subject, subject_id, sum(points)::int as total from score_history group by 1, 2) h using (subject, subject_id)
        where t.total is distinct from h.total`),
            [],
            'totals are the sums of history',
          );
          assert.deepEqual(
            await query(sql`
        select * from scores_by_rule b full join (select subject, subject_id, rule_id, sum(points)::int as score from score_history group by 1, 2, 3) h
        using (subject, subject_id, rule_id) where b.score is distinct from h.score`),
            [],
            'scores by rule too',
          );
          assert.deepEqual(
            await query(sql`
        select id from (select id, total, sum(points) over (partition by subject, subject_id order by id) as running from score_history) h where running <> total`),
            [],
            'each row has the total after it',
          );
          for (const id of contacts) {
            const [row] = await query<{ total: number }>(
              sql`select total from score_totals where subject = 'contact' and subject_id = ${id}`,
            );
            // 7 × 1.5 = 10.5 counts as 11, up to 25.
            assert.equal(row?.total ?? 0, (expected.get(id) ?? 0) + Math.min(25, 11 * (clicks.get(id) ?? 0)));
          }
          assert.deepEqual(
            await query(sql`
        select t.id, h.subject_id from score_thresholds t
        join (${afterEvents}) h on h.total >= t.score
        except select threshold_id, contact_id from score_threshold_hits`),
            [],
            'who ever had the points after an event has reached the threshold',
          );
          assert.deepEqual(
            await query(sql`
        select threshold_id, contact_id from score_threshold_hits
        except select t.id, h.subject_id from score_thresholds t join (${afterEvents}) h on h.total >= t.score`),
            [],
            'and no one else',
          );
        },
      ),
      { numRuns: 8 },
    );
  } finally {
    await second.stop();
  }
  const [dead] = await query<{ n: number }>(sql`select count(*)::int as n from dead_letters`);
  assert.equal(dead!.n, 0);
});
