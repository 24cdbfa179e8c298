import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { ChannelSettings, type ChannelCap } from '../../../db/entities/channels.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { checkSendWindow } from '../../campaign-definitions/entry.ts';
import type { SendWindow } from '../../../lib/time/local-time.ts';
import { assertValid } from '../../../lib/checks/errors.ts';
import { DEFAULT_WINDOWS, type SendWindows } from '../../delivery/gates/default-windows.ts';
import { duePostponedMessages } from './due-postponed.ts';
import { settingsViolations } from './settings-violations.ts';
import { duePostponedEmails } from '../../emails/ledger/accept-emails.ts';

/** What a tenant's rules are until it changes them. */
export const DEFAULT_SETTINGS = {
  caps: [] as ChannelCap[],
  sendWindows: DEFAULT_WINDOWS,
  timezone: 'UTC',
  smsConsent: 'required' as 'required' | 'implied',
  stopWords: [] as string[],
  helpText: null as string | null,
  stopText: null as string | null,
  optOutText: null as string | null,
  maxHoldHours: 24,
};

/** The settings of a tenant as text messages, pushes and emails obey them. */
export type Settings = typeof DEFAULT_SETTINGS & { version: number };

export type SettingsInput = Partial<Omit<Settings, 'version' | 'sendWindows'>> & { sendWindows?: Partial<SendWindows> };

export interface EmailSettings {
  frequencyCap: { maxEmails: number; perDays: number } | null;
  sendWindow: SendWindow | null;
  version: number;
}
export type EmailSettingsInput = Partial<Omit<EmailSettings, 'version'>>;

const isOfEmailAlone = ({ channels }: ChannelCap): boolean => channels.length === 1 && channels[0] === 'email';

/** The rules for email among a tenant's settings. Of several caps of email alone they show the first. */
export function emailSettingsOf({
  caps,
  sendWindows,
  version,
}: Pick<Settings, 'caps' | 'sendWindows' | 'version'>): EmailSettings {
  const cap = caps.find(isOfEmailAlone);
  return {
    frequencyCap: cap ? { maxEmails: cap.max, perDays: cap.perDays } : null,
    sendWindow: sendWindows.email,
    version,
  };
}

/** The tenant's rules for marketing messages. */
export async function readSettings(em: EntityManager, tenantId: string): Promise<Settings> {
  const found = await em.findOne(ChannelSettings, { tenantId });
  return found ? shownSettings(found) : { ...DEFAULT_SETTINGS, version: 1 };
}

const shownSettings = (row: ChannelSettings): Settings => ({
  caps: row.caps,
  sendWindows: row.sendWindows,
  timezone: row.timezone,
  smsConsent: row.smsConsent,
  stopWords: row.stopWords,
  helpText: row.helpText ?? null,
  stopText: row.stopText ?? null,
  optOutText: row.optOutText ?? null,
  maxHoldHours: row.maxHoldHours,
  version: row.version,
});

/**
 * Changes the given rules for email, which also apply to emails that are already queued. `check` gets the current
 * rules, locked. Throws 400.
 */
export async function updateEmailSettings(
  em: EntityManager,
  author: Author,
  input: EmailSettingsInput,
  check: (current: EmailSettings) => void,
): Promise<EmailSettings> {
  const { tenantId } = author;
  assertValid(checkSendWindow({ sendWindow: input.sendWindow }));
  return freshTransaction(em, async (tx) => {
    const settings = await lockSettings(tx, tenantId);
    const before = emailSettingsOf(shownSettings(settings));
    check(before);
    if (input.frequencyCap !== undefined && !isDeepStrictEqual(input.frequencyCap, before.frequencyCap)) {
      settings.caps = withEmailCap(settings.caps, input.frequencyCap);
    }
    const isOther = input.sendWindow !== undefined && !isDeepStrictEqual(input.sendWindow, before.sendWindow);
    if (isOther) settings.sendWindows = { ...settings.sendWindows, email: input.sendWindow! };
    await tx.flush();
    if (isOther) await duePostponedEmails(tx, tenantId);
    const after = emailSettingsOf(shownSettings(settings));
    const rules = ({ frequencyCap, sendWindow }: EmailSettings) => ({ frequencyCap, sendWindow });
    await appendAudit(tx, author, {
      action: 'email_settings.updated',
      resourceType: 'email_settings',
      resourceId: null,
      before: rules(before),
      after: rules(after),
    });
    return after;
  });
}

/**
 * The caps after the one of the email settings was changed. It replaces the one that they show, and one for as many
 * days; null ends all caps of email alone, because else the settings would show the next one.
 */
function withEmailCap(caps: readonly ChannelCap[], cap: EmailSettings['frequencyCap']): ChannelCap[] {
  if (!cap) return caps.filter((one) => !isOfEmailAlone(one));
  const shown = caps.find(isOfEmailAlone);
  const others = caps.filter((one) => one !== shown && !(isOfEmailAlone(one) && one.perDays === cap.perDays));
  return [{ channels: ['email'], max: cap.maxEmails, perDays: cap.perDays }, ...others];
}

/**
 * Changes the given rules of the tenant, for what is already queued too. `check` gets the current rules, locked. Throws
 * 400.
 */
export async function updateSettings(
  em: EntityManager,
  author: Author,
  input: SettingsInput,
  check: (current: Settings) => void,
): Promise<Settings> {
  const { tenantId } = author;
  assertValid(settingsViolations(input));
  return freshTransaction(em, async (tx) => {
    const settings = await lockSettings(tx, tenantId);
    const before = shownSettings(settings);
    check(before);
    const { sendWindows, ...others } = input;
    const windows = { ...before.sendWindows, ...onlyGiven(sendWindows ?? {}) };
    const changed = Object.entries({ ...onlyGiven(others), sendWindows: windows }).filter(
      ([field, value]) => !isDeepStrictEqual(value, before[field as keyof Settings]),
    );
    if (changed.length === 0) return before;
    Object.assign(settings, Object.fromEntries(changed));
    await tx.flush();
    if (changed.some(([field]) => OF_HOURS.has(field))) {
      await duePostponedEmails(tx, tenantId);
      await duePostponedMessages(tx, tenantId);
    }
    const after = shownSettings(settings);
    await appendAudit(tx, author, {
      action: 'channel_settings.updated',
      resourceType: 'channel_settings',
      resourceId: null,
      before: Object.fromEntries(changed.map(([field]) => [field, before[field as keyof Settings]])),
      after: Object.fromEntries(changed),
    });
    return after;
  });
}

const OF_HOURS = new Set(['sendWindows', 'timezone', 'maxHoldHours']);

/** The given fields; an empty text is none. */
const onlyGiven = <T extends object>(fields: T): T =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]: [string, unknown]) => [field, value === '' ? null : value]),
  ) as T;

async function lockSettings(tx: EntityManager, tenantId: string): Promise<ChannelSettings> {
  await rows(
    tx,
    sql`insert into channel_settings (tenant_id, send_windows) values (${tenantId}, ${JSON.stringify(DEFAULT_WINDOWS)}::jsonb) on conflict do nothing`,
  );
  return tx.findOneOrFail(ChannelSettings, { tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
