import { Type } from 'typebox';
import { named } from '../names.ts';
import { IdSchema } from '../schemas.ts';
import { sendInWindow, sendOpening } from '../send-opening.ts';
import { stepKind } from './kind.ts';

/** Sends a push to the contact's devices; outside the entry's send window, waits until the window opens. */
export const push = stepKind({
  config: Type.Object({ templateId: IdSchema }, { additionalProperties: false }),
  about: '`PUSH {templateId}` sends the template of pushes to each device of the contact',
  summary: ({ templateId }, names) =>
    named('push', names?.messageTemplates?.[templateId], `push template ${templateId}`),
  sends: true,
  due: (_config, entry, moment) => sendOpening(entry, moment),
  plan: ({ templateId }, entry, moment) =>
    sendInWindow({ effect: 'message', channel: 'push', templateId }, entry, moment),
  references: ({ templateId }) => [{ kind: 'pushTemplateIds', id: templateId, path: '/templateId' }],
});
