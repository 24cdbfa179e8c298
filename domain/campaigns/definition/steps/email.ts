import { Type } from 'typebox';
import type { Entry } from '../entry.ts';
import { nextInWindow } from '../../../common/local-time.ts';
import { named } from '../names.ts';
import { IdSchema } from '../schemas.ts';
import { type Moment, stepKind } from './kind.ts';

/** When the send window opens next; null if it is open or there is none. */
function opening({ sendWindow }: Entry, { now, timezone }: Moment): Date | null {
  const opens = sendWindow ? nextInWindow(sendWindow, now, timezone) : now;
  return opens > now ? opens : null;
}

/** Sends a template; outside the entry's send window, waits until the window opens. */
export const email = stepKind({
  config: Type.Object({ templateId: IdSchema }, { additionalProperties: false }),
  about: '`EMAIL {templateId}` sends the template to the contact',
  summary: ({ templateId }, names) => named('email', names?.templates[templateId], `email template ${templateId}`),
  due: (_config, entry, moment) => opening(entry, moment),
  plan: ({ templateId }, entry, moment) => {
    const until = opening(entry, moment);
    return until ? { effect: 'wait', until } : { effect: 'email', templateId };
  },
  references: ({ templateId }) => [{ kind: 'templateIds', id: templateId, path: '/templateId' }],
});
