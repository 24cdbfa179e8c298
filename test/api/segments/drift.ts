import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../../dev/demo/random.ts';
import { engineEm, rows, sql, tenantEm, type Orm } from '../../../db/orm.ts';
import { asService } from '../../../domain/audit/audit.ts';
import { changeList } from '../../../domain/segments/change-list.ts';
import { createContact } from '../../../domain/contacts/people/create-contact.ts';
import { deleteContact } from '../../../domain/contacts/people/delete-contact.ts';
import { updateContact } from '../../../domain/contacts/people/update-contact.ts';
import { checkFilter } from '../../../domain/membership/filter/check-filter.ts';
import type { Filter } from '../../../domain/membership/filter/filter.ts';
import { rebuildSegment, type Rebuilt } from '../../../domain/segments/rebuild-segment.ts';
import { createSegment } from '../../../domain/segments/segments.ts';
import { sweepSegments } from '../../../domain/membership/members/sweep-segments.ts';
import type { AnyEvent } from '../../../events/contracts.ts';
import { contactHandler } from '../../../worker/consumers/contacts.ts';
import { filterArbitrary, NOW } from './arbitraries.ts';

const TENANT = 'drift';
const CONTACTS = 60;
const EVENTS = ['EMAIL_OPENED', 'EMAIL_CLICKED', 'FORM_SUBMITTED', 'WEBSITE_VISITED', 'CAMPAIGN_TRIGGERED'];
const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

/**
 * Makes random changes of contacts, lists, scores and events, and of the clock, under random dynamic segments that also name
 * each other; returns how many memberships a rebuild of all finds wrong, how many there are, and how many moved meanwhile.
 */
export async function drift(
  orm: Orm,
  seed: number,
  changes: number,
): Promise<{ differed: number; members: number; moved: number; segments: number }> {
  mock.timers.enable({ apis: ['Date'], now: NOW });
  try {
    return await driftAt(orm, seed, changes);
  } finally {
    mock.timers.reset();
  }
}

async function driftAt(
  orm: Orm,
  seed: number,
  changes: number,
): Promise<{ differed: number; members: number; moved: number; segments: number }> {
  const random = seededRandom(seed);
  const em = () => tenantEm(orm, TENANT);
  const origin = { tenantId: TENANT, requestId: null };
  let made = 0;
  const fields = () => ({
    firstName: pick(random, ['a', 'A', 'ab']),
    lastName: 'b',
    jobTitle: pick(random, [null, 'a', 'ab', 'Ä']),
    source: pick(random, [null, 'a', 'b']),
    tags: pick(random, [[], ['a'], ['a', 'A'], ['b', 'ä']]),
    company: pick(random, [null, 'a', 'A b']),
    locale: pick(random, [null, 'de']),
  });
  const person = async () =>
    (await createContact(em(), origin, { ...fields(), email: `drift${(made += 1)}@example.com` })).contact.id;
  const contacts: number[] = [];
  for (let n = 0; n < CONTACTS; n += 1) contacts.push(await person());
  const lists: number[] = [];
  for (const name of ['one', 'two'])
    lists.push(
      (
        await createSegment(em(), asService(TENANT), {
          type: 'static',
          name,
          contactIds: contacts.filter(() => random() < 0.5),
        })
      ).segment.id,
    );

  const segments = [...lists];
  for (let n = 0; segments.length < 32 && n < 40; n += 1) {
    const filters = fc.sample<Filter>(filterArbitrary(segments, false), { numRuns: 200, seed: seed + n });
    const sound = filters.find(
      (filter) =>
        JSON.stringify(filter).length > 150 &&
        !JSON.stringify(filter).includes('"segmentId","operator":"exists"') &&
        !JSON.stringify(filter).includes('"segmentId","operator":"notExists"') &&
        checkFilter(filter, '', { customFields: new Map() }).length === 0,
    );
    if (sound)
      segments.push(
        (await createSegment(em(), asService(TENANT), { type: 'dynamic', name: `S${n}`, filter: sound })).segment.id,
      );
  }
  const dynamic = segments.slice(lists.length);

  let moved = 0;
  /** What the relay and the consumer would do, until nothing is left to tell. */
  const consume = async (): Promise<void> => {
    for (;;) {
      const found = await engineEm(orm).transactional((tx) =>
        rows<{ type: string; at: Date; events: { id: string; data: object }[] }>(
          tx,
          sql`
        delete from outbox_events where tenant_id = ${TENANT} returning type, occurred_at as at, events`,
        ),
      );
      if (found.length === 0) return;
      const events = found.flatMap(({ type, at, events: told }) =>
        told.map(
          ({ id, data }) => ({ id, type, time: at.toISOString(), tenantid: TENANT, data }) as unknown as AnyEvent,
        ),
      );
      moved += events.filter(({ type }) => type === 'SEGMENT_ENTERED' || type === 'SEGMENT_LEFT').length;
      const wanted = events.filter(({ type }) => (contactHandler.types as readonly string[]).includes(type));
      if (wanted.length > 0) await engineEm(orm).transactional((tx) => contactHandler.handle(tx, wanted));
    }
  };
  const happen = (type: string, data: object) =>
    engineEm(orm).transactional((tx) =>
      contactHandler.handle(tx, [
        {
          id: randomUUID(),
          type,
          time: new Date(Date.now() - Math.floor(random() * 96) * 3_600_000).toISOString(),
          tenantid: TENANT,
          data,
        } as unknown as AnyEvent,
      ]),
    );

  const change: (() => Promise<unknown>)[] = [
    async () =>
      updateContact(em(), origin, pick(random, contacts), () =>
        Promise.resolve({ ...fields(), status: pick(random, [undefined, 'active', 'archived'] as const) } as never),
      ).catch(refused),
    async () => contacts.push(await person()),
    // As many are made as deleted: it would come to none in the long run.
    async () =>
      contacts.length > CONTACTS / 2 &&
      deleteContact(em(), asService(TENANT), contacts.splice(Math.floor(random() * contacts.length), 1)[0]!, () => {}),
    async () =>
      changeList(
        em(),
        asService(TENANT),
        pick(random, lists),
        pick(random, ['add', 'remove'] as const),
        contacts.filter(() => random() < 0.1),
      ),
    async () =>
      happen(pick(random, EVENTS), {
        contactId: pick(random, contacts),
        url: pick(random, ['a', 'Ab']),
        formId: 1 + Math.floor(random() * 3),
        automated: random() < 0.2,
      }),
    async () => {
      const [id, total] = [pick(random, contacts), pick(random, [0, 29, 30, 69, 70, 100])];
      await em().transactional((tx) =>
        rows(
          tx,
          sql`insert into score_totals (tenant_id, subject, subject_id, total, updated_at) values (${TENANT}, 'contact', ${id}, ${total}, now())
        on conflict (tenant_id, subject, subject_id) do update set total = excluded.total`,
        ),
      );
      await happen('SCORE_UPDATED', { contactId: id });
    },
    async () => {
      mock.timers.setTime(Date.now() + Math.floor(random() * 24 * 3_600_000));
      await sweepSegments(orm, new Date());
    },
  ];
  for (let n = 0; n < changes; n += 1) {
    await pick(random, change)();
    await consume();
  }
  await sweepSegments(orm, new Date());
  await consume();
  let [differed, members] = [0, 0];
  for (const id of dynamic) {
    const rebuilt = (await rebuildSegment(em(), TENANT, id)) as Rebuilt;
    differed += rebuilt.added + rebuilt.removed;
    members += rebuilt.count;
  }
  return { differed, members, moved, segments: dynamic.length };
}

/** Some changes of a status are not allowed. */
function refused(error: unknown): void {
  if ((error as { code?: string }).code !== 'validation_failed') throw error;
}
