import { createServer } from 'node:http';
import { once } from 'node:events';
import type { NativeConnection } from '@temporalio/worker';
import { createHandler } from '../../api/app.ts';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { temporalClient } from '../../runtime/temporal.ts';
import { REQUEST_WAIT_MS } from '../../db/orm.ts';
import { ensureAdmin } from '../../domain/accounts/ensure-admin.ts';
import { ensureStreams } from '../../transport/streams.ts';
import type { Role } from '../../worker/roles.ts';
import { apiAt, type Answer, type Api } from './call-api.ts';
import { recordEvents } from './database/written-events.ts';
import { startMailSink, type MailSink } from './mail/mail-sink.ts';
import { claimSlot, type Slot } from './slot.ts';

export const ADMIN_PASSWORD = 'Correct-Horse-7-Battery';

export type { Answer };

export interface Service {
  url: string;
  deps: Deps;
  slot: Slot;
  sink: MailSink;
  admin: { token: string; tenantId: string };
  api: Api;
  stop: () => Promise<void>;
}

/**
 * The real service on this file's slot: the API in this process on a free port, the requested worker roles, optionally
 * a copy of the events for listeners, and a real SMTP sink.
 */
export async function startService(
  options: { worker?: boolean | readonly Role[]; listeners?: boolean; env?: Record<string, string> } = {},
): Promise<Service> {
  const slot = await claimSlot();
  const checkEvents = await recordEvents(slot.env['DATABASE_MIGRATION_URL']!);
  const sink = await startMailSink();
  const env = readEnv({
    LOG_LEVEL: 'silent',
    ENABLE_RATE_LIMITING: 'false',
    SMTP_URL: sink.url,
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD,
    ENABLE_REGISTRATION: 'true',
    MAIL_POSTAL_ADDRESS: '1 Example Street, 12345 Example',
    NATS_LISTENERS: options.listeners ? slot.listeners.account : '',
    ...slot.env,
    ...options.env,
  });
  // Most files need no worker, which takes half a second to load.
  const workers = options.worker ? await import('../../worker/roles.ts') : null;
  const roles = options.worker === true ? workers!.ROLES : options.worker || [];
  const connection = roles.length > 0 ? await nativeConnection(env.TEMPORAL_ADDRESS) : null;
  const deps = await createDeps(env, 'test', {
    connectTemporal: connection ? async () => temporalClient(connection, env.TEMPORAL_NAMESPACE) : undefined,
    poolWaitMs: REQUEST_WAIT_MS,
  });
  await ensureStreams(deps.nats.jsm, env);
  await ensureAdmin(deps);
  const handle = createHandler(deps);
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  // Links in emails point to this server; a worker may read it once, when it starts.
  env.PUBLIC_URL = options.env?.['PUBLIC_URL'] ?? url;
  const worker = connection ? await workers!.startWorker(deps, roles) : null;

  const admin = { token: '', tenantId: 'default' };
  const api = apiAt(url, () => admin.token);
  const login = await api('POST', '/auth/login', { username: 'admin', password: ADMIN_PASSWORD }, { token: null });
  if (login.status !== 200) throw new Error(`the Admin can not log in: ${login.status} ${JSON.stringify(login.body)}`);
  admin.token = login.body.accessToken;

  return {
    url,
    deps,
    slot,
    sink,
    admin,
    api,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await worker?.stop();
      await deps.close();
      await sink.stop();
      await checkEvents().finally(() => slot.release());
    },
  };
}

/** Loads Temporal's worker only for those that want one. */
async function nativeConnection(address: string): Promise<NativeConnection> {
  const [{ NativeConnection }, { quietTemporal }] = await Promise.all([
    import('@temporalio/worker'),
    import('./quiet-temporal.ts'),
  ]);
  quietTemporal();
  return NativeConnection.connect({ address });
}
