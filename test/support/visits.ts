import { engineEm, rows, sql, type RawBuilder } from '../../db/orm.ts';
import { makeContactToken } from '../../domain/addresses/contact-token.ts';
import { settled } from './events.ts';
import { makeContact } from './mail/emails.ts';
import { startService, type Answer, type Service } from './service.ts';
import { until } from './until.ts';

export const PAGE = 'https://www.example.com/prices';
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

export type Visitors = ReturnType<typeof visitorsOf>;

/** A service with consumers and relay, and visitors of a website that has the script. The caller must stop it. */
export async function startVisitors(): Promise<{ service: Service; site: Visitors }> {
  const service = await startService({ worker: ['consumers', 'relay'] });
  return { service, site: visitorsOf(service) };
}

function visitorsOf(service: Service) {
  const engine = <Row>(query: RawBuilder<unknown>): Promise<Row[]> =>
    engineEm(service.deps.orm).transactional((tx) => rows<Row>(tx, query));
  const tokenOf = (contactId: number, tenantId = 'default', now?: number): string =>
    makeContactToken(service.deps.links, tenantId, contactId, now);
  /** Tells of a visit as a browser does. */
  const tell = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    service.api('POST', '/scoring/visits', typeof body === 'string' ? body : JSON.stringify(body), {
      token: null,
      headers: { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': BROWSER, ...headers },
    });
  return {
    tokenOf,
    tell,
    person: async (): Promise<number> => (await makeContact(service)).id,
    visit: (contactId: number, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
      tell({ site: 'default', contactToken: tokenOf(contactId), url: PAGE, ...more }, headers),
    /** The data of the visits in a contact's timeline, in order. */
    visitsOf: async (contactId: number): Promise<Record<string, unknown>[]> => {
      await settled(service, 'scoring', 'contact');
      const { data } = (await service.api('GET', `/contacts/${contactId}/activities?sort=id&limit=200`)).body;
      return data.flatMap((one: Answer['body']) => (one.type === 'WEBSITE_VISITED' ? [one.data] : []));
    },
    scoreOf: async (contactId: number): Promise<number> =>
      (await service.api('GET', `/scoring/contacts/${contactId}`)).body.totalScore,
    engine,
    /** Waits until so many transactions wait for the lock of another. */
    untilBlocked: (count = 1) =>
      until(
        'transactions wait for a lock',
        async () =>
          (
            await engine(
              sql`select 1 from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
            )
          ).length >= count,
      ),
  };
}
