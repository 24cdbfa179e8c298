import assert from 'node:assert/strict';
import { withClient } from '../../../dev/stack/postgres.ts';
import { compileRequest } from '../../../lib/checks/schema-check.ts';
import { eventContracts, type EventType } from '../../../events/contracts.ts';

interface Written {
  type: EventType;
  tenant_id: string;
  occurred_at: Date;
  events: { id: string; time?: string; data: Record<string, unknown> }[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Records a copy of every row that is inserted into the event outbox, by any statement: many are inserted by SQL, which
 * no type checks. The returned function throws unless all of them match their contracts.
 */
export async function recordEvents(ownerUrl: string): Promise<() => Promise<void>> {
  await withClient(ownerUrl, (client) =>
    client.query(`
    create schema written;
    create table written.events as select type, tenant_id, occurred_at, events from outbox_events;
    create function written.keep() returns trigger language plpgsql as
      'begin insert into written.events select type, tenant_id, occurred_at, events from added; return null; end';
    create trigger keep after insert on outbox_events referencing new table as added for each statement execute function written.keep();
    grant usage on schema written to public;
    grant insert on written.events to public`),
  );
  return async () => {
    const { rows } = await withClient(ownerUrl, (client) =>
      client.query<Written>('select distinct * from written.events'),
    );
    const wrong = rows.flatMap(({ type, tenant_id: tenantId, occurred_at: at, events }) => {
      const check = compileRequest(eventContracts[type]);
      return events.flatMap(({ id, time = at.toISOString(), data }) => {
        const problems = check({ ...data, tenantId, timestamp: time });
        const isKnown = UUID.test(id) && Object.keys(data).every((name) => name in eventContracts[type].properties);
        return problems.length > 0 || !isKnown ? [{ type, id, data, problems }] : [];
      });
    });
    assert.deepEqual(wrong.slice(0, 5), [], 'events that are not as their contracts say');
  };
}
