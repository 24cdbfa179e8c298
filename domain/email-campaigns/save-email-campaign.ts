import { isDeepStrictEqual } from 'node:util';
import {
  EmailCampaign,
  type EmailCampaignStatus,
  type ScheduleType,
  type Variant,
  type Winner,
} from '../../db/entities/email-campaigns.ts';
import { freshTransaction, type EntityManager } from '../../db/orm.ts';
import { appendAudit, type Author } from '../audit/audit.ts';
import { campaignsUsing } from '../campaign-definitions/in-use/campaigns-using.ts';
import { AppError, assertValid, type Violation } from '../../lib/checks/errors.ts';
import { startEmailCampaign, wakeCampaign } from './change-email-campaign.ts';
import { assertReferences, lockEmailCampaign } from './find-email-campaign.ts';
import { scheduleViolations, startOf } from './schedule.ts';
import { suppressReadyOfCampaign } from '../emails/ledger/suppress-emails.ts';
import { variantViolations } from './variants.ts';
import { deleteUnused } from '../common/references.ts';

export interface EmailCampaignInput {
  name: string;
  templateId?: number | null;
  segmentId?: number | null;
  listId?: number | null;
  scheduleType?: ScheduleType | null;
  scheduledAt?: Date | null;
  cron?: string | null;
  timezone?: string | null;
  ratePerMinute?: number | null;
  priority?: number;
  variants?: Variant[] | null;
  winner?: Winner | null;
}

type Fields = Omit<Partial<EmailCampaignInput>, 'listId'>;

/** The fields that can still be changed while a campaign is sent, and after it has ended. */
const WHILE_SENDING: readonly string[] = ['name', 'ratePerMinute'];
const AT_THE_END: readonly string[] = ['name'];
const ENDED: readonly EmailCampaignStatus[] = ['SENT', 'CANCELLED', 'FAILED'];

/**
 * Creates an email campaign: a DRAFT without a schedule type; else it is started, at once or at its scheduled time.
 * Throws 400 with every violation, 404 with each template or segment that does not exist.
 */
export async function createEmailCampaign(
  em: EntityManager,
  author: Author,
  input: EmailCampaignInput,
): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const { fields, violations } = fieldsOf(input, null);
    assertValid(violations);
    const campaign = tx.create(EmailCampaign, { tenantId: author.tenantId, name: input.name, ...fields });
    assertValid(soundViolations(campaign));
    await assertReferences(tx, campaign, input.listId);
    if (campaign.scheduleType) await startEmailCampaign(tx, author, campaign);
    else await tx.flush();
    return campaign;
  });
}

/**
 * Changes the given fields; `check` gets the current campaign, locked. Only the name and the rate of a campaign in
 * progress can be changed, and only the name of one that has ended. Throws 404, 409, and 400 like
 * `createEmailCampaign`.
 */
export async function updateEmailCampaign(
  em: EntityManager,
  id: number,
  input: Partial<EmailCampaignInput>,
  check: (current: EmailCampaign) => void,
): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    check(campaign);
    const { fields, violations } = fieldsOf(input, campaign.segmentId ?? null);
    assertValid(violations);
    const changed = Object.entries(fields).filter(
      ([field, value]) => !isDeepStrictEqual(value ?? null, campaign[field as keyof Fields] ?? null),
    );
    if (changed.length === 0) return campaign;
    assertChangeable(
      campaign.status,
      changed.map(([field]) => field),
    );
    tx.assign(campaign, Object.fromEntries(changed));
    assertValid(soundViolations(campaign));
    // The template and segment of a campaign that has ended may have been deleted.
    if (!ENDED.includes(campaign.status)) await assertReferences(tx, campaign, input.listId);
    if (campaign.status === 'SCHEDULED') campaign.nextRunAt = startOf(campaign, new Date());
    await tx.flush();
    if (campaign.status === 'SCHEDULED' || campaign.status === 'SENDING') await wakeCampaign(tx, campaign);
    return campaign;
  });
}

/**
 * Deletes a campaign that is neither SCHEDULED, SENDING nor PAUSED. Its emails remain, but those of a cancelled
 * campaign are no longer sent. Throws 404, 409.
 */
export async function deleteEmailCampaign(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: EmailCampaign) => void,
): Promise<void> {
  await freshTransaction(em, async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    check(campaign);
    const { name, status } = campaign;
    if (status === 'SENDING' || status === 'PAUSED' || status === 'SCHEDULED')
      throw new AppError('conflict', `The campaign is ${status}: cancel it first`);
    // Suppress the emails that senders could lease now: without the campaign's row the gates cannot tell that it was
    // cancelled. Its workflow suppresses the others.
    if (status === 'CANCELLED' || status === 'FAILED') await suppressReadyOfCampaign(tx, campaign);
    await deleteUnused(tx, campaign, () =>
      campaignsUsing(tx, author.tenantId, ({ campaignIds }) => campaignIds.has(id)),
    );
    await appendAudit(tx, author, {
      action: 'email_campaign.deleted',
      resourceType: 'email_campaign',
      resourceId: id,
      before: { name, status },
    });
  });
}

/**
 * All violations of the campaign that `input` creates, or changes `current` into (this modifies `current`). `lost`
 * tells which members were given but are invalid: violations of these, and of what depends on them, are omitted.
 */
export function emailCampaignViolations(
  input: Partial<EmailCampaignInput>,
  current: EmailCampaign | null,
  lost: (member: keyof EmailCampaignInput) => boolean,
): Violation[] {
  const { fields, violations } = fieldsOf(input, current?.segmentId ?? null);
  const found = soundViolations(Object.assign(current ?? {}, fields));
  const isUnknown = ({ path }: Violation): boolean => (DEPENDS_ON[path] ?? []).some(lost);
  return [...violations, ...found.filter((violation) => !isUnknown(violation))];
}

/** The other members that a violation at this path depends on. */
const DEPENDS_ON: Record<string, readonly (keyof EmailCampaignInput)[]> = {
  '/templateId': ['variants'],
  '/segmentId': ['listId'],
  '/listId': ['segmentId'],
  '/winner': ['variants', 'scheduleType'],
  '/cron': ['timezone'],
};

/**
 * The columns that an input sets; empty texts become null. `segmentId` and `listId` are one column: if they differ,
 * the one that differs from the current value counts; if both do, that is a violation.
 */
function fieldsOf(
  { segmentId, listId, ...input }: Partial<EmailCampaignInput>,
  current: number | null,
): { fields: Fields; violations: Violation[] } {
  const fields = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, value === '' ? null : value]);
  const given = [...new Set([segmentId, listId].filter((id) => id !== undefined))];
  const changed = given.length > 1 ? given.filter((id) => id !== null && id !== current) : given;
  return {
    // Two new ids are a conflict; keep the first, so that a missing audience is not reported as well.
    fields: { ...Object.fromEntries(fields), ...(changed.length > 0 ? { segmentId: changed[0] } : {}) } as Fields,
    violations:
      changed.length > 1 ? [{ path: '/listId', code: 'conflict', message: 'must not differ from segmentId' }] : [],
  };
}

function assertChangeable(status: EmailCampaignStatus, fields: readonly string[]): void {
  const open = ENDED.includes(status)
    ? AT_THE_END
    : status === 'SENDING' || status === 'PAUSED'
      ? WHILE_SENDING
      : fields;
  const closed = fields.filter((field) => !open.includes(field));
  if (closed.length > 0)
    throw new AppError('conflict', `The campaign is ${status}: ${closed.join(', ')} can no longer be changed`);
}

const nameViolations = ({ name }: Partial<EmailCampaign>): Violation[] =>
  name == null || name.trim() === '' ? [{ path: '/name', code: 'required', message: 'must not be empty' }] : [];

function soundViolations(campaign: Partial<EmailCampaign>): Violation[] {
  const {
    templateId = null,
    variants = null,
    winner = null,
    scheduleType = null,
    scheduledAt = null,
    cron = null,
    timezone = null,
    status,
  } = campaign;
  if (status && ENDED.includes(status)) return nameViolations(campaign);
  const violations: Violation[] = [
    ...nameViolations(campaign),
    ...scheduleViolations({ scheduleType, scheduledAt, cron, timezone }),
    ...variantViolations(variants, winner),
  ];
  const require = (path: string, message: string): number => violations.push({ path, code: 'required', message });
  const conflict = (path: string, message: string): number => violations.push({ path, code: 'conflict', message });
  if (templateId === null && variants === null) require('/templateId', 'is required unless variants is given');
  if (templateId !== null && variants !== null)
    conflict('/templateId', 'must not be combined with variants, which have their own templates');
  if (campaign.segmentId == null) require('/segmentId', 'is required unless listId is given');
  if (status === 'SCHEDULED' && scheduleType === null)
    require('/scheduleType', 'is required: the campaign is SCHEDULED');
  if (scheduleType === 'recipient_local_time' && winner !== null)
    conflict('/winner', 'must not be combined with scheduleType recipient_local_time, which sends at different times');
  return violations;
}
