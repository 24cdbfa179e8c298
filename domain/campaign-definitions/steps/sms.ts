import { Type } from 'typebox';
import { named } from '../names.ts';
import { IdSchema } from '../schemas.ts';
import { sendInWindow, sendOpening } from '../send-opening.ts';
import { stepKind } from './kind.ts';

/** Sends a text message; outside the entry's send window, waits until the window opens. */
export const sms = stepKind({
  config: Type.Object({ templateId: IdSchema }, { additionalProperties: false }),
  about: '`SMS {templateId}` sends the template of text messages to the contact',
  summary: ({ templateId }, names) =>
    named('text', names?.messageTemplates?.[templateId], `text template ${templateId}`),
  sends: true,
  due: (_config, entry, moment) => sendOpening(entry, moment),
  plan: ({ templateId }, entry, moment) =>
    sendInWindow({ effect: 'message', channel: 'sms', templateId }, entry, moment),
  references: ({ templateId }) => [{ kind: 'smsTemplateIds', id: templateId, path: '/templateId' }],
});
