import { Type, type Static } from 'typebox';
import { CHANNELS, type Channel } from '../../db/entities/channels.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { type SendWindow, TimeSchema, WeekdaySchema, isTimezone, weekdayNumber } from '../../lib/time/local-time.ts';
import { MAX_MINUTES } from './schemas.ts';

export const SendWindowSchema = Type.Object(
  {
    days: Type.Optional(Type.Array(WeekdaySchema, { minItems: 1, maxItems: 7, description: 'Default: every day' })),
    from: TimeSchema,
    to: Type.String({
      pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
      description: 'HH:MM, up to 24:00; exclusive',
      examples: ['17:00'],
      'x-form': 'a time HH:MM from 00:00 to 24:00, such as 17:00',
    }),
    timezone: Type.String({
      description: "An IANA timezone, or `contact` for the contact's own",
      examples: ['Europe/Berlin'],
    }),
  },
  { additionalProperties: false },
);

const emailCap = {
  maxEmails: Type.Integer({ minimum: 1, maximum: 1000 }),
  perDays: Type.Integer({ minimum: 1, maximum: 365 }),
};
export const EmailCapSchema = Type.Object(emailCap, { additionalProperties: false });

const FrequencyCapSchema = Type.Object(
  {
    ...emailCap,
    channels: Type.Optional(
      Type.Array(Type.Enum([...CHANNELS]), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        description: 'What is counted and limited, all together; default `[email]`',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Entry rules in a request: who may enter, and how emails are paced. `normaliseEntry` fills in the defaults. */
export const EntrySchema = Type.Object(
  {
    reentry: Type.Optional(
      Type.Enum(['never', 'after_completion', 'always'], {
        description:
          'Default never; after_completion if the trigger fires again for the same contact by itself (SCHEDULE, and DATE with `annual`)',
      }),
    ),
    minIntervalMinutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_MINUTES,
        description: 'Minimum minutes between two entries of a contact; default 0',
      }),
    ),
    exitOnUnsubscribe: Type.Optional(Type.Boolean({ description: 'Default true' })),
    sendWindow: Type.Optional(
      Type.Union([SendWindowSchema, Type.Null()], { description: 'Steps that send wait until the window opens' }),
    ),
    frequencyCap: Type.Optional(
      Type.Union([FrequencyCapSchema, Type.Null()], {
        description:
          'Maximum number of marketing emails (or messages of `channels`) to a contact within `perDays` days; further ones are suppressed',
      }),
    ),
    priority: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 9,
        description: 'Of two messages of which the caps of the settings allow one, the higher is sent; default 5',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'Entry',
    description: 'Rules for entering the campaign and for pacing its emails',
  },
);
export type EntryInput = Static<typeof EntrySchema>;

/** Entry with its defaults filled. */
export interface Entry {
  reentry: 'never' | 'after_completion' | 'always';
  minIntervalMinutes: number;
  exitOnUnsubscribe: boolean;
  sendWindow: SendWindow | null;
  frequencyCap: { maxEmails: number; perDays: number; channels?: Channel[] } | null;
  /** 1 to 9; absent = 5. */
  priority?: number;
}

/** Fills in the defaults; that of `reentry` depends on whether the trigger recurs. */
export function normaliseEntry(input: EntryInput = {}, { recurs = false } = {}): Entry {
  return {
    reentry: input.reentry ?? (recurs ? 'after_completion' : 'never'),
    minIntervalMinutes: input.minIntervalMinutes ?? 0,
    exitOnUnsubscribe: input.exitOnUnsubscribe ?? true,
    sendWindow: input.sendWindow ?? null,
    frequencyCap: input.frequencyCap ?? null,
    ...(input.priority === undefined ? {} : { priority: input.priority }),
  };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && /^[0-9]{2}:[0-9]{2}$/.test(value);

/** Checks what the schema cannot express, for the settings that are given. Paths are JSON Pointers inside the entry. */
export function checkSendWindow({
  sendWindow,
}: {
  sendWindow?: { [P in keyof SendWindow]?: unknown } | null;
}): Violation[] {
  if (!sendWindow) return [];
  const violations: Violation[] = [];
  const { timezone, from, to, days } = sendWindow;
  if (typeof timezone === 'string' && timezone !== 'contact' && !isTimezone(timezone)) {
    const message = 'sendWindow.timezone must be an IANA timezone or contact';
    violations.push({ path: '/sendWindow/timezone', code: 'timezone', message });
  }
  // Texts of another form, which the schema refuses, cannot be compared.
  if (isTime(from) && isTime(to) && from >= to) {
    violations.push({ path: '/sendWindow/to', code: 'range', message: 'sendWindow.to must be later than from' });
  }
  for (const [index, day] of (Array.isArray(days) ? (days as unknown[]) : []).entries()) {
    if ((typeof day === 'string' || typeof day === 'number') && weekdayNumber(day) === undefined) {
      const message = 'sendWindow.days must be monday to sunday, or 1 to 7';
      violations.push({ path: `/sendWindow/days/${index}`, code: 'enum', message });
    }
  }
  return violations;
}
