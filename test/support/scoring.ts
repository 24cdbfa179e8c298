import assert from 'node:assert/strict';
import type { AnyEvent } from '../../events/contracts.ts';
import { engineEm, rows, type sql } from '../../db/orm.ts';
import { eventOf, publish, settled } from './events.ts';
import type { Answer, Service } from './service.ts';

const DAY_MS = 86_400_000;

/** What tests of scores do with a service; `prefix` keeps the addresses of their contacts apart. */
export function scoringOf(service: () => Service, prefix: string) {
  let number = 0;
  const make = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await service().api('POST', path, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    make,
    /** Ends the default rule for visits, so that a test has its own alone. */
    withoutRuleForVisits: async (): Promise<void> => {
      const [visits] = (await service().api('GET', '/scoring/rules?eventType=WEBSITE_VISITED')).body.data;
      await service().api('PUT', `/scoring/rules/${visits.id}`, { active: false });
    },
    query: <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
      engineEm(service().deps.orm).transactional((tx) => rows<T>(tx, statement)),
    /** The id of a new contact. */
    person: async (more: object = {}): Promise<number> =>
      (
        await make('/contacts', {
          firstName: 'P',
          lastName: 'Q',
          email: `${prefix}${(number += 1)}@example.com`,
          ...more,
        })
      ).id,
    score: async (id: number): Promise<Answer['body']> => (await service().api('GET', `/scoring/contacts/${id}`)).body,
    visit: (contactId: number, daysAgo = 0, page = ''): AnyEvent =>
      eventOf(
        'WEBSITE_VISITED',
        { contactId, url: `https://example.com/${page}` },
        new Date(Date.now() - daysAgo * DAY_MS),
      ),
    /** Publishes events, and waits until they are scored. */
    happen: async (...events: AnyEvent[]): Promise<void> => {
      await publish(service(), ...events);
      await settled(service(), 'scoring', 'contact');
    },
  };
}
