import { ChannelProvider, type MessageChannel } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { phoneE164 } from '../../../lib/addresses/phone.ts';
import { callId } from '../../idempotency/hash-request.ts';
import { subscriptionDigest } from '../push/subscription-digest.ts';
import { queueMessages, type QueuedMessage } from '../queue/queue-messages.ts';

/** Begins the send key of a test: it leaves also through a provider that is not active, and is tried once. */
export const TEST_KEY = 'test:';

/** The violations of what a test is sent to: a number, or the registration token of a device. */
export function testViolations(channel: MessageChannel, to: string): Violation[] {
  const isValid = channel === 'sms' ? phoneE164(to) !== null : /^[!-~]{8,4096}$/.test(to);
  const message =
    channel === 'sms'
      ? 'must be a valid phone number in E.164, such as +442079460958'
      : 'must be the registration token of a device';
  return isValid ? [] : [{ path: '/to', code: 'format', message }];
}

/**
 * Queues a test message that goes through one provider, whether it is active or not. It is a transactional message of
 * the ledger as any other, so that no crash sends it twice; with a `callKey` (from the Idempotency-Key), repeating the
 * same call queues no second one. Throws 400, 404.
 */
export async function testProvider(
  em: EntityManager,
  author: Author & { requestId: string },
  id: number,
  to: string,
  callKey: string | null,
): Promise<QueuedMessage> {
  const { tenantId, requestId } = author;
  const sendKey = `${TEST_KEY}${await callId(callKey, [id, to])}`;
  return em.transactional(async (tx) => {
    const provider = await tx.findOne(ChannelProvider, { id });
    if (!provider) throw notFound('provider', id);
    const { channel, name } = provider;
    assertValid(testViolations(channel, to));
    const device = channel === 'push' ? await deviceOf(tx, tenantId, to) : null;
    const body = `This is a test of ${name}.`;
    const [queued] = await queueMessages(tx, tenantId, [
      {
        sendKey,
        channel,
        category: 'transactional',
        // What a name contains is no Liquid.
        content: { body: '{{ data.test }}', ...(channel === 'push' ? { title: 'Test' } : {}) },
        data: { test: body },
        contactId: device?.contactId ?? null,
        toAddress: channel === 'sms' ? phoneE164(to) : null,
        subscriptionId: device?.id ?? null,
        providerId: id,
        lane: 'transactional',
        requestId,
      },
    ]);
    if (queued!.isNew)
      await appendAudit(tx, author, {
        action: 'channel_provider.tested',
        resourceType: 'channel_provider',
        resourceId: id,
        after: { messageId: queued!.messageId },
      });
    return queued!;
  });
}

/** The device of a token; a new one without a contact if it is not known. */
async function deviceOf(
  tx: EntityManager,
  tenantId: string,
  token: string,
): Promise<{ id: number; contactId: number | null }> {
  const digest = subscriptionDigest('fcm', token);
  await rows(
    tx,
    sql`
    insert into push_subscriptions (tenant_id, type, endpoint, digest) values (${tenantId}, 'fcm', ${token}, ${digest})
    on conflict (tenant_id, digest) do nothing`,
  );
  const [device] = await rows<{ id: number; contactId: number | null }>(
    tx,
    sql`select id, contact_id as "contactId" from push_subscriptions where tenant_id = ${tenantId} and digest = ${digest}`,
  );
  return device!;
}
