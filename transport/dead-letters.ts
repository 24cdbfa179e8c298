import { errorForLog } from '../config/error-for-log.ts';
import { engineEm, rows, sql, type EntityManager, type Orm } from '../db/orm.ts';
import { decodeText, encode, type JsMsg, type Nats } from './nats.ts';
import { deadLetterSubject } from './streams.ts';

/** The most bytes of a message in its dead letter: even if all are JSON escapes, the letter fits any server's limit. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_ID_CHARACTERS = 200;
const MAX_TENANT_CHARACTERS = 50;
/** The tenant of dead letters of whole messages, which belong to no tenant. */
const NO_TENANT = 'default';

/** A message, or an event of a batch, that failed. */
export interface FailedPart {
  letter: Letter;
  error: unknown;
  /** Called in the transaction that writes the dead letter: the part must not be handled again. */
  settle?: (tx: EntityManager) => Promise<unknown>;
}

/** What a dead letter tells about its message. */
export interface Letter {
  tenantId: string;
  subject: string;
  messageId: string;
  /** The text of the message, or its first part. */
  body: string;
}

/** Removes NUL, which Postgres cannot store. */
const withoutNul = (text: string): string => text.replaceAll('\0', '');

/** A text as far as a dead letter has room for it. */
export const shortened = (text: string): string => cutOff(text.slice(0, MAX_BODY_BYTES), text.length);

const cutOff = (text: string, bytes: number): string =>
  bytes > MAX_BODY_BYTES ? `${text}… (the first ${MAX_BODY_BYTES} of ${bytes} bytes)` : text;

/** What the dead letter of a whole message tells. */
export function letterOf({ data, headers, subject }: JsMsg): Letter {
  return {
    tenantId: NO_TENANT,
    subject,
    messageId: headers?.get('Nats-Msg-Id') ?? '',
    body: cutOff(decodeText(data.subarray(0, MAX_BODY_BYTES)), data.length),
  };
}

/** Writes what could not be handled to the table and the stream of dead letters; any content is possible. */
export async function deadLetter(
  deps: { orm: Orm; nats: Nats },
  consumer: string,
  { info, seq }: JsMsg,
  { letter, settle, error }: FailedPart,
): Promise<void> {
  const { type, message } = errorForLog(error);
  const text = withoutNul(`${type}: ${message}`);
  const [subject, body] = [withoutNul(letter.subject), withoutNul(letter.body)];
  const tenantId = withoutNul(letter.tenantId).slice(0, MAX_TENANT_CHARACTERS);
  const messageId = withoutNul(letter.messageId).slice(0, MAX_ID_CHARACTERS);
  await engineEm(deps.orm).transactional(async (tx) => {
    await settle?.(tx);
    await rows(
      tx,
      sql`
      insert into dead_letters (tenant_id, consumer, subject, message_id, body, error, deliveries, stream_seq)
      values (${tenantId}, ${consumer}, ${subject}, ${messageId}, ${body}, ${text}, ${info.deliveryCount}, ${seq})`,
    );
    // Publish last: if the insert fails, nothing is published, however often it is retried. If the transaction is repeated
    // after this, the stream knows the message by its id.
    await deps.nats.js.publish(deadLetterSubject(consumer), encode({ consumer, subject, error: text, body }), {
      msgID: `${consumer}-${info.stream}-${seq}-${messageId}`,
    });
  });
}
