import assert from 'node:assert/strict';
import { engineEm, rows, sql } from '../../db/orm.ts';
import type { Service } from './service.ts';

export interface Person {
  id: number;
  email: string;
  number: string;
}

let made = 0;

/** What tests of channels write behind the API, for the tenant `default`. */
export function channelsOf(service: Service) {
  const engine = <T>(query: Parameters<typeof rows>[1]) =>
    engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
  return {
    engine,
    async makePerson(fields: object = {}): Promise<Person> {
      const number = `+1202555${String((made += 1)).padStart(4, '0')}`;
      const email = `person${made}@example.com`;
      const body = { firstName: 'Ada', lastName: 'L', email, phone: number, ...fields };
      const answer = await service.api('POST', '/contacts', body);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return { id: answer.body.id, email, number };
    },
    consent: (address: string, status = 'subscribed') =>
      engine(
        sql`insert into text_consents (tenant_id, address, status, source) values ('default', ${address}, ${status}, 'test')`,
      ),
    suppress: (channel: string, address: string, reason: string) =>
      engine(sql`insert into channel_suppressions (tenant_id, channel, address, reason, source)
        values ('default', ${channel}, ${address}, ${reason}, 'api')
        on conflict (tenant_id, channel, address) do update set reason = excluded.reason`),
    device: async (contactId: number | null): Promise<number> => {
      const [row] = await engine<{
        id: number;
      }>(sql`insert into push_subscriptions (tenant_id, type, contact_id, endpoint, digest)
        values ('default', 'fcm', ${contactId}, 'x', md5(random()::text)) returning id`);
      return row!.id;
    },
  };
}
