import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { assertFree, type PortUse } from './ports.ts';
import { keptMails, startMail } from './mail.ts';
import { hasBrokenStream, localAccounts, natsUrl, startNats, testAccounts } from './nats.ts';
import type { NatsAccounts } from './nats-config.ts';
import { postgresUrls, startPostgres } from './postgres.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import type { Service } from '../service.ts';
import { keepRunning, type Supervised, type SupervisedOptions } from '../supervise.ts';
import { startTemporal } from './temporal.ts';

export interface StackPorts {
  postgres: number;
  nats: number;
  temporal: number;
  temporalUi: number;
  smtp: number;
  mailPage: number;
}

/** The addresses of existing parts, which are therefore not started. */
export interface ExternalParts {
  DATABASE_URL?: string;
  DATABASE_MIGRATION_URL?: string;
  TEMPORAL_ADDRESS?: string;
  NATS_URL?: string;
  SMTP_URL?: string;
}

export interface StackOptions {
  dataDir: string;
  ports: StackPorts;
  log: (line: string) => void;
  external: ExternalParts;
  /** Whether programs that listen on NATS may also request emails. */
  listenersSend?: boolean;
  /** A temporary stack: no syncing to disk, no pages, no mail catcher, and this many NATS accounts. */
  test?: { slots: number };
  /** Called with each started process as soon as it exists. */
  spawned?: (service: Service) => void;
}

export interface Stack {
  /** Settings for the service: addresses and secrets. */
  env: Record<string, string>;
  /** The web pages of the parts that were started here, as shown to the user. */
  pages: { temporal?: string; mail?: string };
  /** The URL and login for other programs to read the events, if NATS was started here. */
  listenerUrl?: string;
  /** The folder of Postgres's data, if it was started here. */
  postgresData?: string;
  /** Stops the parts: mail, Temporal, NATS, Postgres. */
  stop: () => Promise<void>;
}

type Part = Pick<SupervisedOptions, 'name' | 'start' | 'isBroken'>;

/** The ports that this stack will listen on, to be checked before anything is started. */
export function portsOf({ ports, external }: Pick<StackOptions, 'ports' | 'external'>): PortUse[] {
  const uses: PortUse[] = [];
  const add = (port: number, what: string, setting: string) => uses.push({ port, what, setting });
  if (!external.DATABASE_URL) add(ports.postgres, 'Postgres', 'POSTGRES_PORT');
  if (!external.NATS_URL) add(ports.nats, 'NATS', 'NATS_PORT');
  if (!external.TEMPORAL_ADDRESS) add(ports.temporal, 'Temporal', 'TEMPORAL_PORT');
  if (!external.TEMPORAL_ADDRESS) add(ports.temporalUi, 'the Temporal UI', 'TEMPORAL_UI_PORT');
  if (!external.SMTP_URL) add(ports.smtp, "the mail catcher's SMTP", 'SMTP_PORT');
  if (!external.SMTP_URL) add(ports.mailPage, "the mail catcher's page", 'MAIL_PAGE_PORT');
  return uses;
}

/**
 * Starts the parts without an external address in parallel, and keeps them running. If one fails to start, stops the
 * others and throws the first error.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, ports, external, test } = options;
  if (!test) await assertFree(portsOf(options));
  const secrets = await loadSecrets(dataDir);
  const accounts = test
    ? testAccounts(test.slots, secrets.NATS_PASSWORD)
    : [localAccounts(secrets, options.listenersSend ?? false)];
  const running = await startAll(partsOf(options, accounts), options);
  const pages: Stack['pages'] = {};
  if (!test && !external.TEMPORAL_ADDRESS) pages.temporal = `http://localhost:${ports.temporalUi}`;
  if (!test && !external.SMTP_URL) {
    const kept = await keptMails(dataDir);
    const note = kept > 2_000 ? `  (reads ${kept.toLocaleString('en')} kept mails first)` : '';
    pages.mail = `http://localhost:${ports.mailPage}${note}`;
  }
  const { listener } = accounts[0]!;
  const ownNats = !test && !external.NATS_URL;
  const env = {
    ...settingsOf(options, secrets, accounts[0]!),
    ...(ownNats ? { NATS_LISTENERS: listener.account } : {}),
  };
  const listenerUrl = ownNats ? natsUrl(ports.nats, listener.user, listener.password) : undefined;
  const postgresData = external.DATABASE_URL ? undefined : await realpath(join(dataDir, 'postgres'));
  return { env, pages, listenerUrl, postgresData, stop: () => stopAll(running) };
}

/** The addresses and secrets of a stack, as settings of the service. */
export function settingsOf(
  { ports, external }: Pick<StackOptions, 'ports' | 'external'>,
  secrets: Secrets,
  { service }: Pick<NatsAccounts, 'service'>,
): Record<string, string> {
  const database = postgresUrls(ports.postgres);
  return {
    DATABASE_URL: external.DATABASE_URL ?? database.app,
    DATABASE_MIGRATION_URL: external.DATABASE_MIGRATION_URL ?? database.owner,
    TEMPORAL_ADDRESS: external.TEMPORAL_ADDRESS ?? `127.0.0.1:${ports.temporal}`,
    NATS_URL: external.NATS_URL ?? natsUrl(ports.nats, service.user, service.password),
    SMTP_URL: external.SMTP_URL ?? `smtp://127.0.0.1:${ports.smtp}`,
    JWT_SECRET: secrets.JWT_SECRET,
    LINK_SECRET: secrets.LINK_SECRET,
  };
}

/** In the reverse order of stopping. */
function partsOf({ dataDir, ports, log, external, test, spawned }: StackOptions, accounts: NatsAccounts[]): Part[] {
  const volatile = test !== undefined;
  const parts: Part[] = [];
  if (!external.DATABASE_URL) {
    parts.push({ name: 'Postgres', start: () => startPostgres({ dataDir, port: ports.postgres, volatile, spawned }) });
  }
  if (!external.NATS_URL) {
    const options = { dataDir, port: ports.nats, accounts, volatile, log, spawned };
    const isBroken = (service: Service) => hasBrokenStream(service, dataDir);
    parts.push({ name: 'NATS', start: () => startNats(options), isBroken });
  }
  if (!external.TEMPORAL_ADDRESS) {
    const uiPort = test ? undefined : ports.temporalUi;
    const options = { dataDir, port: ports.temporal, uiPort, volatile, log, spawned };
    parts.push({ name: 'Temporal', start: () => startTemporal(options) });
  }
  if (!external.SMTP_URL && !test) {
    const options = { dataDir, port: ports.smtp, pagePort: ports.mailPage, spawned };
    parts.push({ name: 'The mail catcher', start: () => startMail(options) });
  }
  return parts;
}

async function startAll(parts: Part[], { log, test }: StackOptions): Promise<Supervised[]> {
  const running: (Supervised | undefined)[] = parts.map(() => undefined);
  const list = () => running.filter((part) => part !== undefined);
  const results = await Promise.allSettled(
    parts.map(async (part, index) => {
      const since = performance.now();
      running[index] = await keepRunning({ ...part, log });
      if (!test) log(`${part.name} is up (${((performance.now() - since) / 1000).toFixed(1)} s)`);
    }),
  );
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return list();
  await stopAll(list());
  throw failure.reason;
}

async function stopAll(running: Supervised[]): Promise<void> {
  for (const part of running.toReversed()) await part.stop();
}
