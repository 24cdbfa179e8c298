import { connect, type JetStreamClient, type JetStreamManager, type JsMsg, type NatsConnection } from 'nats';

export type { JetStreamClient, JetStreamManager, JsMsg, NatsConnection };

/** The connection and its JetStream handles. This file is the only one that knows the client library. */
export interface Nats {
  connection: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
}

/** Connects with the credentials in the URL and reconnects for ever. */
export async function connectNats(url: string, name: string): Promise<Nats> {
  const servers = url.split(',').map((address) => new URL(address));
  const connection = await connect({
    servers: servers.map((server) => server.host),
    user: decodeURIComponent(servers[0]!.username) || undefined,
    pass: decodeURIComponent(servers[0]!.password) || undefined,
    name: `perennial-${name}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
  });
  return { connection, js: connection.jetstream({ timeout: 10_000 }), jsm: await connection.jetstreamManager() };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const encode = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));
export const decodeText = (data: Uint8Array): string => decoder.decode(data);
