import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, tenantId, tenantTable, timestamp } from './base.ts';
import { CHANNELS } from './channels.ts';

/**
 * How many messages of a channel that were queued in the window of 5 minutes, an hour (60) or a day (1440) UTC that
 * starts at `at` have a status now, and how often `segments`, `clicks`, `unique_clicks` and `opt_outs` occurred in it.
 * Made from `message_changes`, which are still to be added.
 */
const MessageWindowSchema = defineEntity({
  name: 'MessageWindow',
  tableName: 'message_windows',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    channel: p.enum(CHANNELS).primary(),
    minutes: p.smallint().primary(),
    at: timestamp().primary(),
    /** A status (of SENDING ones QUEUED), or one of the others. */
    metric: p.string().length(20).primary(),
    /** Why messages are SUPPRESSED, else empty. */
    reason: p.text().primary(),
    count: bigid(),
  },
});
export class MessageWindow extends MessageWindowSchema.class {}
MessageWindowSchema.setClass(MessageWindow);

/**
 * What triggers on the ledgers of emails and messages counted of one statement. Rows are only added, so that statements
 * do not wait for each other, and are added to `message_windows` every few seconds.
 */
const MessageChangeSchema = defineEntity({
  name: 'MessageChange',
  tableName: 'message_changes',
  ...tenantTable,
  properties: {
    id: id(),
    tenantId: tenantId(),
    channel: p.enum(CHANNELS),
    at: timestamp(),
    metric: p.string().length(20),
    reason: p.text(),
    count: bigid(),
  },
});
export class MessageChange extends MessageChangeSchema.class {}
MessageChangeSchema.setClass(MessageChange);

export const messageFigureEntities = [MessageWindow, MessageChange];
