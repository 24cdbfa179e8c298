import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type StreamConfig,
} from 'nats';
import type { EventType } from '../events/contracts.ts';
import { EnvError } from '../config/env.ts';
import { isWithoutRoom, type JetStreamManager } from './nats.ts';

/** Single events for other programs. The service itself does not read them. */
export const EVENTS = 'EVENTS';
/** Batches of events for the service's own consumers; a message is deleted once all of them have handled it. */
export const EVENT_BATCHES = 'EVENT_BATCHES';
export const EMAIL_SEND_REQUESTS = 'EMAIL_SEND_REQUESTS';
/** Requests from listeners' accounts. A separate stream, so that they cannot delay the service's own requests. */
export const LISTENER_REQUESTS = 'LISTENER_REQUESTS';
export const DEAD_LETTERS = 'DEAD_LETTERS';
export const TRACKING_HITS = 'TRACKING_HITS';
/** Files that are read once (of imports), see file-store.ts. */
export const FILES = 'FILES';
/** The generation of the installation: one message (docs/decisions/0069-restore.md). */
export const GENERATION = 'GENERATION';
/** Files that are kept until they are removed (of forms). */
export const KEPT_FILES = 'KEPT_FILES';

export const SEND_REQUEST_SUBJECT = 'email.send.requests';
/** The subject under which `email.send.requests` of a listener's account arrives in the service's account. */
export const listenerRequestSubject = (account: string): string => `${SEND_REQUEST_SUBJECT}.${account}`;
export const GENERATION_SUBJECT = 'generation';
export const TRACKING_SUBJECT = 'tracking.hits';
/**
 * Core NATS subject, no stream: tells the relay that there are new outbox rows, and deliverers that there is something
 * for webhooks; the message is the table's name, and words about what is new.
 */
export const OUTBOX_PING = 'outbox.ping';
/** Core NATS subject, no stream: tells senders that there are emails in the named lanes (in any, if none is named). */
export const EMAIL_READY_PING = 'email.ready';
/** The same for text messages and pushes. */
export const MESSAGE_READY_PING = 'messages.ready';
export const batchSubject = (type: EventType): string => `batches.${type}`;
export const deadLetterSubject = (consumer: string): string => `dead.${consumer}`;

const second = 1_000_000_000;
const minute = 60 * second;
const hour = 60 * minute;
const KIB = 1024;
const MIB = 1024 * KIB;

/** Several hundred times the size of the service's own send requests. */
const MAX_REQUEST_BYTES = 64 * KIB;

/** Converts `7d` or `36h` to nanoseconds. */
function duration(text: string): number {
  return Number(text.slice(0, -1)) * (text.endsWith('d') ? 24 : 1) * hour;
}

/** The settings of streams. */
export interface StreamSettings {
  EVENTS_MAX_AGE: string;
  FORM_FILES_MAX_BYTES: number;
}

/** All streams of the service, declared in one place. */
export function streamConfigs(settings: StreamSettings): Partial<StreamConfig>[] {
  const common = { storage: StorageType.File, num_replicas: 1, duplicate_window: 2 * minute };
  return [
    {
      ...common,
      name: EVENTS,
      subjects: ['events.*.*'],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: duration(settings.EVENTS_MAX_AGE),
      allow_direct: true,
    },
    {
      ...common,
      name: EVENT_BATCHES,
      subjects: [batchSubject('*' as EventType)],
      retention: RetentionPolicy.Interest,
      allow_direct: true,
    },
    {
      ...common,
      name: EMAIL_SEND_REQUESTS,
      subjects: [SEND_REQUEST_SUBJECT],
      retention: RetentionPolicy.Workqueue,
      max_msg_size: MAX_REQUEST_BYTES,
    },
    // A full stream refuses new messages, so that publishers get an error.
    {
      ...common,
      name: LISTENER_REQUESTS,
      subjects: [listenerRequestSubject('*')],
      retention: RetentionPolicy.Workqueue,
      max_msg_size: MAX_REQUEST_BYTES,
      max_bytes: 32 * MIB,
      discard: DiscardPolicy.New,
    },
    { ...common, name: TRACKING_HITS, subjects: [TRACKING_SUBJECT], retention: RetentionPolicy.Workqueue },
    { ...common, name: FILES, subjects: ['files.*.*'], retention: RetentionPolicy.Limits, max_age: 7 * 24 * hour },
    // Anybody can send them. A full stream refuses more, so that the others, which share its disk, have theirs.
    {
      ...common,
      name: KEPT_FILES,
      subjects: ['kept-files.*.*'],
      retention: RetentionPolicy.Limits,
      max_bytes: settings.FORM_FILES_MAX_BYTES,
      discard: DiscardPolicy.New,
    },
    { ...common, name: GENERATION, subjects: [GENERATION_SUBJECT], retention: RetentionPolicy.Limits, max_msgs: 1 },
    // A full stream drops the oldest messages; all are in the table, too.
    {
      ...common,
      name: DEAD_LETTERS,
      subjects: ['dead.>'],
      retention: RetentionPolicy.Limits,
      max_age: 30 * 24 * hour,
      max_bytes: 64 * MIB,
      discard: DiscardPolicy.Old,
      allow_direct: true,
    },
  ];
}

/** The consumer that feeds the copy of EVENTS in another account: all events, or those of one tenant. */
export function copyConsumerConfig(account: string, tenantId: string | null): Partial<ConsumerConfig> {
  return {
    durable_name: `copy-${account}`,
    deliver_subject: `copies.${account}`,
    // The mirror acknowledges by its flow-control replies; the client library does not know this policy yet.
    ack_policy: 'flow_control' as AckPolicy,
    flow_control: true,
    idle_heartbeat: second,
    filter_subject: tenantId === null ? 'events.>' : `events.${tenantId}.>`,
  };
}

/** The config of the copy in its own account. */
export function copyConfig(account: string, eventsMaxAge: string): Partial<StreamConfig> & { name: string } {
  const { durable_name: name, deliver_subject } = copyConsumerConfig(account, null);
  const mirror = {
    name: EVENTS,
    external: { api: '$JS.PERENNIAL.API', deliver: '' },
    consumer: { name, deliver_subject },
  };
  return {
    name: EVENTS,
    mirror,
    storage: StorageType.File,
    num_replicas: 1,
    max_age: duration(eventsMaxAge),
    allow_direct: true,
  };
}

/** The config of a durable pull consumer; `types` limits EVENT_BATCHES to the types that it handles. */
export function consumerConfig(
  name: string,
  options: { types?: readonly EventType[]; ackWaitSeconds?: number; maxAckPending?: number } = {},
): Partial<ConsumerConfig> {
  return {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: (options.ackWaitSeconds ?? 60) * second,
    max_ack_pending: options.maxAckPending ?? 4000,
    // The consume loop bounds the tries and dead-letters; the server must not drop a message silently.
    max_deliver: -1,
    ...(options.types ? { filter_subjects: options.types.map(batchSubject) } : {}),
  };
}

/**
 * Creates or updates every stream; safe to run from many processes at once. Throws EnvError if JetStream has less room
 * than is to be reserved for files.
 */
export async function ensureStreams(jsm: JetStreamManager, settings: StreamSettings): Promise<void> {
  for (const config of streamConfigs(settings)) {
    const exists = await jsm.streams.info(config.name!).then(
      () => true,
      () => false,
    );
    const ensured = exists ? jsm.streams.update(config.name!, config) : jsm.streams.add(config);
    await ensured.catch((error: unknown) => {
      throw config.name === KEPT_FILES && isWithoutRoom(error)
        ? new EnvError(
            'FORM_FILES_MAX_BYTES must be lower: it is reserved, and JetStream has not as much left of its storage (max_file_store)',
            { cause: error },
          )
        : error;
    });
  }
}

/** Creates or updates a durable consumer. */
export async function ensureConsumer(
  jsm: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig>,
): Promise<void> {
  const exists = await jsm.consumers.info(stream, config.durable_name!).then(
    () => true,
    () => false,
  );
  if (exists) await jsm.consumers.update(stream, config.durable_name!, config);
  else await jsm.consumers.add(stream, config);
}
