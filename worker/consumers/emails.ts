import type { Deps } from '../../runtime/deps.ts';
import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import { engineEm, type EntityManager } from '../../db/orm.ts';
import { acceptEmails, type NamedEmail } from '../../domain/emails/ledger/accept-emails.ts';
import { queueEmails, type EmailRequest } from '../../domain/emails/ledger/queue-emails.ts';
import type { Hit } from '../../domain/tracking/hit.ts';
import { recordHits } from '../../domain/tracking/record-hits.ts';
import { checkContent, compileRequest } from '../../lib/checks/schema-check.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { PoisonError, type consumeBatches } from '../../transport/consume.ts';
import {
  externalSendRequest,
  ownSendRequest,
  type ExternalSendRequest,
  type OwnSendRequest,
} from '../../events/contracts.ts';
import { decodeText, type JsMsg } from '../../transport/nats.ts';
import {
  consumerConfig,
  EMAIL_READY_PING,
  EMAIL_SEND_REQUESTS,
  ensureConsumer,
  LISTENER_REQUESTS,
  TRACKING_HITS,
} from '../../transport/streams.ts';

export const lanesOfPing = (text: string): EmailLane[] =>
  EMAIL_LANES.filter((lane) => text === '' || text.split(' ').includes(lane));
/** The lane of emails that other programs request. */
const OUTSIDE_LANE: EmailLane = 'journey';
/** The tenant in single-tenant mode; the only one for which other programs may send. */
const SINGLE_TENANT = 'default';
/** The maximum of listeners' requests in flight to and in the worker; bounds its memory. */
const LISTENERS_AT_ONCE = 500;

type QueueHandler = Parameters<typeof consumeBatches>[1];
type Intake = { own: NamedEmail } | { outside: EmailRequest };

function parse(message: JsMsg): object {
  try {
    const body: unknown = JSON.parse(decodeText(message.data));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch (error) {
    throw new PoisonError('not JSON', { cause: error });
  }
  throw new PoisonError('not a JSON object');
}

const violationsOfOwn = compileRequest(ownSendRequest);
const violationsOfExternal = compileRequest(externalSendRequest);

function assertNone(violations: readonly Violation[]): void {
  if (violations.length > 0)
    throw new PoisonError(
      `not a send request: ${violations.map(({ path, message }) => `${path} ${message}`).join(', ')}`,
    );
}

/** Parses a send request: an integer `emailId` names a ledger row, a string is another program's own id. */
function readRequest(message: JsMsg, multiTenant: boolean): Intake {
  const body = parse(message);
  if (!('emailId' in body) || typeof body.emailId !== 'number') return readExternalRequest(body, multiTenant);
  assertNone(violationsOfOwn(body));
  const { tenantId, emailId } = body as OwnSendRequest;
  return { own: { tenantId: tenantId ?? SINGLE_TENANT, emailId } };
}

function readExternalRequest(body: object, multiTenant: boolean): Intake {
  if (multiTenant) throw new PoisonError('requests of other programs are accepted only in single-tenant mode');
  assertNone([...violationsOfExternal(body), ...checkContent(body)]);
  const { emailId, templateId, recipientId, campaignId = null, data = null } = body as ExternalSendRequest;
  return {
    outside: {
      sendKey: `external:${emailId}`,
      externalId: emailId,
      lane: OUTSIDE_LANE,
      requestId: null,
      accepted: true,
      templateId,
      contactId: recipientId,
      campaignId,
      data,
    },
  };
}

/** Parses a listener's request. Refuses the id of a ledger row: listeners must not trigger the service's own emails. */
const readListenerRequest = (message: JsMsg, multiTenant: boolean): Intake =>
  readExternalRequest(parse(message), multiTenant);

/** Processes requests; returns the lanes in which senders may now lease emails. */
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

/**
 * Intake of `email.send.requests`: ensures that the ledger row exists, lets senders take it, then acks. From here on
 * the ledger, not the stream, is the queue. Invalid requests are dead-lettered.
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
  const body = parse(message);
  if (!('hits' in body) || !Array.isArray(body.hits)) throw new PoisonError('no hits');
  return body.hits as Hit[];
}

/** Intake of `tracking.hits`, written only by the API: stores them; they are classified when they are 2 s old. */
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
