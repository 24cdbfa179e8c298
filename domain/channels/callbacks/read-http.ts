import { Webhook } from 'standardwebhooks';
import { Type } from 'typebox';
import { invalid } from '../../../lib/checks/errors.ts';
import { compileRequest } from '../../../lib/checks/schema-check.ts';
import {
  idOf,
  keptText,
  MOST_CODE,
  MOST_ID,
  type Callback,
  type CallbackRequest,
  type StatusReport,
} from './callback.ts';

const STATUSES: Record<string, StatusReport['status'] | null> = {
  queued: null,
  accepted: null,
  sending: null,
  sent: 'SENT',
  delivered: 'DELIVERED',
  read: 'DELIVERED',
  undelivered: 'UNDELIVERED',
  failed: 'FAILED',
};
// No unions: each of their branches would report a violation of its own.
const text = Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 20_000 }));
const id = Type.Optional(
  Type.Unsafe<string | number | null>({ type: ['string', 'integer', 'null'], maxLength: MOST_ID }),
);

/** What a provider with an HTTP API posts. Further members are its own. */
export const HttpCallbackSchema = Type.Object(
  {
    type: Type.Enum(['status', 'inbound']),
    messageId: id,
    providerMessageId: id,
    status: text,
    from: text,
    to: text,
    text,
    errorCode: id,
  },
  { title: 'ChannelCallback' },
);
const check = compileRequest(HttpCallbackSchema);
const required = (name: string) => invalid([{ path: `/${name}`, code: 'required', message: 'is required' }]);

/**
 * Reads a call that is signed by Standard Webhooks: `unproved` without a signature of the provider's secret, null if
 * there is nothing to do. Throws `validation_failed`.
 */
export function readHttp(
  request: CallbackRequest,
  { callbackSecret }: Record<string, unknown>,
): Callback | 'unproved' | null {
  const said = signed(request, callbackSecret);
  if (said === undefined) return 'unproved';
  const violations = check(said);
  if (violations.length > 0) throw invalid(violations);
  const { type, messageId, providerMessageId, errorCode, ...call } = said as Record<string, string | number | null>;
  const theirs = keptText(providerMessageId, MOST_ID);
  if (type === 'inbound') {
    const from = keptText(call['from'], 100);
    if (from === null) throw required('from');
    return {
      kind: 'inbound',
      // Each call of this standard has an id, the same at every repetition.
      providerMessageId: theirs ?? keptText(messageId, MOST_ID) ?? keptText(request.header('webhook-id'), MOST_ID)!,
      from,
      to: keptText(call['to'], 100),
      text: typeof call['text'] === 'string' ? call['text'] : '',
      readAs: null,
    };
  }
  const name = keptText(call['status'], 50)?.toLowerCase();
  if (name === undefined) throw required('status');
  if (!Object.hasOwn(STATUSES, name))
    throw invalid([{ path: '/status', code: 'enum', message: `must be one of ${Object.keys(STATUSES).join(', ')}` }]);
  const ours = idOf(messageId);
  if (ours === null && theirs === null) throw required('messageId');
  const status = STATUSES[name];
  if (!status) return null;
  return {
    kind: 'status',
    sendId: null,
    messageId: ours,
    providerMessageId: theirs,
    status,
    code: keptText(errorCode, MOST_CODE),
  };
}

/** The JSON of a call; undefined if it is none, or not signed. */
function signed({ body, header }: CallbackRequest, secret: unknown): unknown {
  if (typeof secret !== 'string') return undefined;
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, header(name)]),
  );
  try {
    return new Webhook(secret).verify(body.toString(), headers);
  } catch {
    return undefined;
  }
}
