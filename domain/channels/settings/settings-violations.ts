import { CHANNELS } from '../../../db/entities/channels.ts';
import { checkSendWindow } from '../../campaign-definitions/entry.ts';
import { isTimezone } from '../../../lib/time/local-time.ts';
import { noLiquid } from '../../../lib/text/liquid.ts';
import type { Violation } from '../../../lib/checks/errors.ts';

/** Checks what the schema of settings cannot express; the input may be anything where it does not fit the schema. */
export function settingsViolations(input: {
  caps?: unknown;
  sendWindows?: unknown;
  timezone?: unknown;
  helpText?: unknown;
  stopText?: unknown;
  optOutText?: unknown;
}): Violation[] {
  const { caps, sendWindows, timezone } = input;
  return [
    ...(['helpText', 'stopText', 'optOutText'] as const).flatMap((field) => {
      const liquid = noLiquid(input[field]);
      return liquid ? [{ path: `/${field}`, ...liquid }] : [];
    }),
    ...(Array.isArray(caps) ? capViolations(caps as unknown[]) : []),
    ...(isObject(sendWindows) ? CHANNELS.flatMap((channel) => windowViolations(channel, sendWindows[channel])) : []),
    ...(typeof timezone === 'string' && !isTimezone(timezone)
      ? [{ path: '/timezone', code: 'timezone', message: 'must be an IANA timezone' }]
      : []),
  ];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const windowViolations = (channel: string, window: unknown): Violation[] =>
  isObject(window)
    ? checkSendWindow({ sendWindow: window }).map(({ path, code, message }) => ({
        path: path.replace('/sendWindow', `/sendWindows/${channel}`),
        code,
        message: message.replace('sendWindow', `sendWindows.${channel}`),
      }))
    : [];

/** The same channels may have several caps, each over other days: at most one email a day, and three a week. */
function capViolations(caps: readonly unknown[]): Violation[] {
  const seen = new Set<string>();
  return caps.flatMap((cap, index): Violation[] => {
    const { channels, perDays } = isObject(cap) ? cap : {};
    if (!Array.isArray(channels)) return [];
    const path = `/caps/${index}/channels`;
    if (new Set(channels).size < channels.length)
      return [{ path, code: 'duplicate', message: 'must not name a channel twice' }];
    const key = [...(channels as unknown[]).map(String).sort(), perDays].join();
    if (seen.has(key))
      return [{ path, code: 'duplicate', message: 'these channels have a cap for as many days already' }];
    seen.add(key);
    return [];
  });
}
