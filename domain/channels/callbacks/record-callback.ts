import { ChannelProvider } from '../../../db/entities/channels.ts';
import { freshTransaction, type EntityManager } from '../../../db/orm.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import type { BoxSecrets } from '../../../lib/text/secret-box.ts';
import { recordInbound } from '../inbound/record-inbound.ts';
import { openCredentials } from '../providers/credentials.ts';
import type { CalledProvider, Callback, CallbackRequest } from './callback.ts';
import { readHttp } from './read-http.ts';
import { readTwilio } from './read-twilio.ts';
import { recordStatus } from './record-status.ts';

/** One answer for all: who calls does not learn which providers there are. */
const unproved = () => new AppError('unauthorized', 'The call is not proved to be of this provider');

/**
 * Takes a call of a provider: what became of a send, or a text that it received. Whatever comes twice or late changes
 * nothing. Engine `em`. Throws `unauthorized`, `validation_failed`.
 */
export async function recordCallback(
  em: EntityManager,
  env: BoxSecrets,
  providerId: number | null,
  request: CallbackRequest,
  requestId: string,
): Promise<void> {
  const provider = providerId === null ? null : await readCalled(em, env, providerId);
  const callback = provider && read(provider, request);
  if (!provider || callback === 'unproved') throw unproved();
  if (!callback) return;
  await freshTransaction(em, async (tx) => {
    if (callback.kind === 'status') return recordStatus(tx, provider, callback, requestId);
    await recordInbound(tx, { tenantId: provider.tenantId, requestId }, { ...callback, providerId: provider.id });
  });
}

function read(provider: CalledProvider, request: CallbackRequest): Callback | 'unproved' | null {
  if (provider.type === 'twilio') return readTwilio(request, provider.credentials);
  return provider.type === 'http' ? readHttp(request, provider.credentials) : 'unproved';
}

async function readCalled(em: EntityManager, env: BoxSecrets, id: number): Promise<CalledProvider | null> {
  const provider = await em.findOne(ChannelProvider, { id });
  if (!provider) return null;
  const { tenantId, type } = provider;
  try {
    return { id, tenantId, type, credentials: openCredentials(env, provider) };
  } catch {
    return null;
  }
}
