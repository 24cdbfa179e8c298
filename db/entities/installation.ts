import { defineEntity, p } from '@mikro-orm/core';
import { engineTable, json, timestamp } from './base.ts';

/** The highest value that each sequence has given, by its name. */
export type Highest = Record<string, number>;

/**
 * The generation of this installation: one row, whose counter moves while the service runs. JetStream and Temporal keep
 * copies of it, so that a Postgres that was put back to an older copy is noticed (docs/decisions/0069-restore.md).
 */
const InstallationSchema = defineEntity({
  name: 'Installation',
  tableName: 'installation',
  ...engineTable,
  checks: [{ name: 'installation_one_row', expression: 'one' }],
  properties: {
    one: p.boolean().primary().default(true),
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    counter: p.bigint('number').default(1),
    /** When the counter last moved, and what the sequences had given by then. */
    movedAt: timestamp().defaultRaw('now()'),
    highest: json<Highest>().defaultRaw(`'{}'`),
    /** When this table was made. */
    madeAt: timestamp().defaultRaw('now()'),
    /** When `npm run restored` last released the service; null if it never did. */
    restoredAt: timestamp().nullable(),
  },
});
export class Installation extends InstallationSchema.class {}
InstallationSchema.setClass(Installation);

export const installationEntities = [Installation];
