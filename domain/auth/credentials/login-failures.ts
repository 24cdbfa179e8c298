import { createHash } from 'node:crypto';
import { engineEm, rows, sql, type EntityManager, type Orm } from '../../../db/orm.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { networkOf } from '../../rate-limits/network-of.ts';
import { appendAudit, asAnonymous } from '../../audit/audit.ts';

const WINDOW_SECONDS = 15 * 60;
/** How many failures within the window lock a name: from one address, and from all addresses together. */
const FROM_ONE_ADDRESS = 10;
const FROM_ALL = 100;
/** How many expired rows each failure deletes: more than it adds, so that they do not pile up. */
const DELETE_BATCH = 20;

/** An attempt to verify a password. `name` is the username's key, or the given name if no user has it. */
export interface LoginAttempt {
  tenantId: string;
  name: string;
  address: string;
  /** Null if no user has the name. */
  userId: number | null;
  requestId: string;
}

/** Only a hash is stored, because some people type their password into the username field. */
const hashOf = (name: string): string => createHash('sha256').update(name).digest('base64url');

/**
 * Runs a guess and returns whether it was right. Counts it as a failure beforehand, so that parallel guesses in
 * several processes cannot exceed the limit. A right guess clears all failures of its address; a guess that throws is
 * not counted. Throws 429 with Retry-After while the name is locked for the address (IPv6: its /64 network): after 10
 * failures in 15 minutes, or 100 from all addresses.
 */
export async function countGuess(orm: Orm, attempt: LoginAttempt, guess: () => Promise<boolean>): Promise<boolean> {
  const { id, locks } = await countFailure(orm, attempt);
  const right = await guess().catch(async (error: unknown) => {
    await engineEm(orm).transactional((tx) => rows(tx, sql`delete from login_failures where id = ${id}`));
    throw error;
  });
  await (right ? clearFailures(orm, attempt) : noteFailure(orm, attempt, locks));
  return right;
}

async function countFailure(
  orm: Orm,
  { tenantId, name, address }: LoginAttempt,
): Promise<{ id: number; locks: boolean }> {
  const from = networkOf(address);
  return engineEm(orm).transactional(async (tx) => {
    // Serialises the attempts for a name, so that each sees all earlier ones.
    await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${hashOf(name)}, 0))`);
    const [found] = await rows<{ here: number; everywhere: number; wait: number | null }>(
      tx,
      sql`
      select count(*) filter (where address = ${from})::int as here, count(*)::int as everywhere,
        ceil(${WINDOW_SECONDS} - extract(epoch from now() - greatest(
          (array_agg(at order by at desc) filter (where address = ${from}))[${sql.lit(FROM_ONE_ADDRESS)}],
          (array_agg(at order by at desc))[${sql.lit(FROM_ALL)}])))::int as wait
      from login_failures where name_hash = ${hashOf(name)} and at > now() - make_interval(secs => ${WINDOW_SECONDS})`,
    );
    const { here, everywhere, wait } = found!;
    if (wait !== null) {
      throw new AppError('too_many_requests', 'Too many failed logins for this username; try again later', {
        headers: { 'Retry-After': String(Math.max(1, wait)) },
      });
    }
    const [made] = await rows<{ id: number }>(
      tx,
      sql`
      insert into login_failures (tenant_id, name_hash, address) values (${tenantId}, ${hashOf(name)}, ${from}) returning id`,
    );
    return { id: made!.id, locks: here + 1 >= FROM_ONE_ADDRESS || everywhere + 1 >= FROM_ALL };
  });
}

/** Writes a failure to the audit log if the name is a user's, and deletes some expired failures. */
async function noteFailure(orm: Orm, attempt: LoginAttempt, locks: boolean): Promise<void> {
  const { tenantId, userId } = attempt;
  await engineEm(orm).transactional(async (tx) => {
    await rows(
      tx,
      sql`
      delete from login_failures where id in (
        select id from login_failures where at <= now() - make_interval(secs => ${WINDOW_SECONDS}) order by at limit ${DELETE_BATCH} for update skip locked)`,
    );
    if (userId === null) return;
    await appendAudit(tx, asAnonymous(tenantId, attempt), {
      action: locks ? 'user.login_locked' : 'user.login_failed',
      resourceType: 'user',
      resourceId: userId,
    });
  });
}

/** Deletes the failures of the address after a success; those of other addresses stay. */
async function clearFailures(orm: Orm, { name, address }: LoginAttempt): Promise<void> {
  await engineEm(orm).transactional((tx) =>
    rows(tx, sql`delete from login_failures where name_hash = ${hashOf(name)} and address = ${networkOf(address)}`),
  );
}

/** Unlocks the name for all addresses, after its user has authenticated in another way. */
export async function clearAllFailures(tx: EntityManager, name: string): Promise<void> {
  await rows(tx, sql`delete from login_failures where name_hash = ${hashOf(name)}`);
}
