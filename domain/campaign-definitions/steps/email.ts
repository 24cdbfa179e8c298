import { Type } from 'typebox';
import { named } from '../names.ts';
import { IdSchema } from '../schemas.ts';
import { sendInWindow, sendOpening } from '../send-opening.ts';
import { stepKind } from './kind.ts';

/** Sends a template; outside the entry's send window, waits until the window opens. */
export const email = stepKind({
  config: Type.Object({ templateId: IdSchema }, { additionalProperties: false }),
  about: '`EMAIL {templateId}` sends the template to the contact',
  summary: ({ templateId }, names) => named('email', names?.templates[templateId], `email template ${templateId}`),
  sends: true,
  due: (_config, entry, moment) => sendOpening(entry, moment),
  plan: ({ templateId }, entry, moment) => sendInWindow({ effect: 'email', templateId }, entry, moment),
  references: ({ templateId }) => [{ kind: 'templateIds', id: templateId, path: '/templateId' }],
});
