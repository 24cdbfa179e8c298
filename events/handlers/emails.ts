import type { Deps } from '../../runtime/deps.ts';
import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import { engineEm, type EntityManager } from '../../db/orm.ts';
import { acceptEmails, type NamedEmail } from '../../domain/emails/ledger/accept-emails.ts';
import { queueEmails, type EmailRequest } from '../../domain/emails/ledger/queue-emails.ts';
import { recordHits, type Hit } from '../../domain/emails/tracking/record-hits.ts';
import { PoisonError, type consumeBatches } from '../consume.ts';
import { decodeText, type JsMsg } from '../nats.ts';
import { consumerConfig, EMAIL_SEND_REQUESTS, ensureConsumer, LISTENER_REQUESTS, TRACKING_HITS } from '../streams.ts';

/** Core NATS, not a stream: "senders may take something", of the lanes that it names (of any, when it names none). */
export const EMAIL_READY_PING = 'email.ready';
export const lanesOfPing = (text: string): EmailLane[] =>
  EMAIL_LANES.filter((lane) => text === '' || text.split(' ').includes(lane));
/** What other programs request. */
const OUTSIDE_LANE: EmailLane = 'journey';
/** The tenant of a service with one; the only one that other programs may send for. */
const SINGLE_TENANT = 'default';
const MAX_EXTERNAL_ID = 100;
/** Of listeners' requests, that many are on their way to the worker and in it: that bounds its memory. */
const LISTENERS_AT_ONCE = 500;

type QueueHandler = Parameters<typeof consumeBatches>[1];
type Intake = { own: NamedEmail } | { outside: EmailRequest };

function parse(message: JsMsg): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(decodeText(message.data));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch (error) {
    throw new PoisonError('not JSON', { cause: error });
  }
  throw new PoisonError('not a JSON object');
}

function readId(body: Record<string, unknown>, name: string): number {
  const id = body[name];
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) throw new PoisonError(`${name} is not an id`);
  return id;
}

/** A send request by its `emailId`: an integer names a ledger row of ours, a string is another program's own. */
function readRequest(message: JsMsg, multiTenant: boolean): Intake {
  const body = parse(message);
  const tenantId = body['tenantId'] ?? SINGLE_TENANT;
  if (typeof tenantId !== 'string') throw new PoisonError('tenantId is not a string');
  const { emailId } = body;
  if (typeof emailId === 'number') return { own: { tenantId, emailId: readId(body, 'emailId') } };
  if (
    typeof emailId !== 'string' ||
    emailId === '' ||
    emailId.length > MAX_EXTERNAL_ID ||
    /\0/.test(emailId) ||
    !emailId.isWellFormed()
  ) {
    throw new PoisonError(`emailId is neither an id nor a string of 1 to ${MAX_EXTERNAL_ID} characters`);
  }
  if (multiTenant || tenantId !== SINGLE_TENANT)
    throw new PoisonError('requests of other programs are for the tenant of a service with one');
  return {
    outside: {
      sendKey: `external:${emailId}`,
      externalId: emailId,
      lane: OUTSIDE_LANE,
      requestId: null,
      accepted: true,
      templateId: readId(body, 'templateId'),
      contactId: readId(body, 'recipientId'),
      campaignId: body['campaignId'] == null ? null : readId(body, 'campaignId'),
    },
  };
}

/** Takes requests in; answers the lanes where senders may take something. */
async function takeIn(tx: EntityManager, requests: readonly Intake[]): Promise<EmailLane[]> {
  const { lanes, missing } = await acceptEmails(
    tx,
    requests.flatMap((request) => ('own' in request ? [request.own] : [])),
  );
  if (missing.length > 0) throw new PoisonError(`there is no email ${missing[0]!.emailId}`);
  const outside = requests.flatMap((request) => ('outside' in request ? [request.outside] : []));
  await queueEmails(tx, SINGLE_TENANT, outside);
  return outside.length > 0 ? [...new Set([...lanes, OUTSIDE_LANE])] : lanes;
}

/** A listener's request, which names no ledger row of ours: to have it sent is not the listener's to say. */
function readListenerRequest(message: JsMsg, multiTenant: boolean): Intake {
  const request = readRequest(message, multiTenant);
  if ('own' in request) throw new PoisonError('emailId of another program is a string');
  return request;
}

/**
 * Intake of `email.send.requests`: makes sure of the ledger row and lets senders take it, then acks. The ledger, not the
 * stream, is the queue from here on. A request that can not be read is dead-lettered.
 */
async function sendRequests(
  deps: Deps,
  name: string,
  stream: string,
  read: typeof readRequest,
  maxAckPending?: number,
): Promise<QueueHandler> {
  await ensureConsumer(deps.nats.jsm, stream, consumerConfig(name, { maxAckPending }));
  return {
    stream,
    name,
    async handle(messages) {
      const requests = messages.map((message) => read(message, deps.env.ENABLE_MULTI_TENANT));
      const lanes = await engineEm(deps.orm).transactional((tx) => takeIn(tx, requests));
      if (lanes.length > 0) deps.nats.connection.publish(EMAIL_READY_PING, lanes.join(' '));
    },
  };
}

function readHits(message: JsMsg): Hit[] {
  const { hits } = parse(message);
  if (!Array.isArray(hits)) throw new PoisonError('no hits');
  return hits as Hit[];
}

/** Intake of `tracking.hits`, which only our own API writes: keeps them; they are classified when they are 2 s old. */
async function trackingHits(deps: Deps): Promise<QueueHandler> {
  const name = 'tracking';
  await ensureConsumer(deps.nats.jsm, TRACKING_HITS, consumerConfig(name));
  return {
    stream: TRACKING_HITS,
    name,
    handle: (messages) => engineEm(deps.orm).transactional((tx) => recordHits(tx, messages.flatMap(readHits))),
  };
}

export const emailQueueHandlers = async (deps: Deps): Promise<QueueHandler[]> => [
  await sendRequests(deps, 'email-intake', EMAIL_SEND_REQUESTS, readRequest),
  await sendRequests(deps, 'listener-intake', LISTENER_REQUESTS, readListenerRequest, LISTENERS_AT_ONCE),
  await trackingHits(deps),
];
