import { inRolledBackTransaction, type EntityManager } from '../../db/orm.ts';
import { AppError, invalid, MAX_VIOLATIONS, type Violation } from '../../lib/checks/errors.ts';
import { validPart, combineViolations } from '../../lib/checks/valid-part.ts';
import { toAppError } from '../../domain/common/database-errors.ts';
import type { Question, RouteSpec } from '../route/route.ts';

/** Runs a check. If it throws `validation_failed`, returns that error's violations; for other known errors, none. */
async function asked(check: () => Violation[] | Promise<Violation[]>): Promise<Violation[]> {
  try {
    return await check();
  } catch (error) {
    const known = error instanceof AppError ? error : toAppError(error);
    if (!known) throw error;
    return known.code === 'validation_failed' ? (known.errors ?? []) : [];
  }
}

/** A rejected request, as far as a route's `check` needs it. */
export interface RefusedRequest extends Omit<Question<unknown, unknown>, 'tx' | 'body'> {
  em: EntityManager;
  body: unknown;
  /** The violations of the body's schema. */
  wrong: readonly Violation[];
}

/**
 * The error for a request with the violations `told`, plus those that the domain finds in the valid part of its body.
 */
export async function completeRefusal(
  told: Violation[],
  check: RouteSpec['check'],
  { em, body, wrong, ...question }: RefusedRequest,
): Promise<AppError> {
  const left = check && told.length < MAX_VIOLATIONS ? validPart(body ?? {}, wrong) : null;
  if (!check || !left) return invalid(told);
  const ask = (tx: EntityManager) => check({ ...question, tx, body: left.sound });
  // Public routes have no tenant.
  const found = await asked(() =>
    question.caller.tenantId === undefined ? ask(em) : inRolledBackTransaction(em, ask),
  );
  return invalid(
    combineViolations(
      told,
      found.map((violation) => ({ ...violation, path: left.pathOf(violation.path) })),
    ).slice(0, MAX_VIOLATIONS),
  );
}
