import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import tls from 'node:tls';
import { createOutbound, type Outbound, type OutboundLimits } from '../../domain/outbound/outbound.ts';
import { OutboundError } from '../../domain/outbound/outbound-error.ts';
import { parseRanges } from '../../lib/addresses/ranges.ts';
import { makeCertificate } from './certificate.ts';
import { onTestFinished } from './on-test-finished.ts';

export const LOOPBACK = '127.0.0.0/8,::1/128';

/** Listens until the test is over, by default on a free port of 127.0.0.1. Returns the port. */
export async function listening(server: Server, address = '127.0.0.1', port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

export const serving = (listener: RequestListener): Promise<number> => listening(createServer(listener));

const made = new Map<string, { key: string; cert: string }>();

/** A certificate for a host, or for `*.` names below a domain, that this process trusts from now on. */
export function trustedCertificate(host = 'localhost'): { key: string; cert: string } {
  const known = made.get(host);
  if (known) return known;
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const cert = makeCertificate(pair, host);
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), cert]);
  const key = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  made.set(host, { key, cert });
  return { key, cert };
}

/** Serves over http or https; returns the URL, with a name in it. */
export async function servingAt(scheme: 'http' | 'https', listener: RequestListener): Promise<string> {
  const server = scheme === 'http' ? createServer(listener) : createTlsServer(trustedCertificate(), listener);
  return `${scheme}://localhost:${await listening(server)}/`;
}

/** A guard until the test is over. */
export function outbound(
  allow = LOOPBACK,
  limits: Partial<OutboundLimits> = {},
  resolver?: Parameters<typeof createOutbound>[2],
): Outbound {
  const guard = createOutbound(parseRanges(allow), limits, resolver);
  onTestFinished(() => guard.close());
  return guard;
}

/** The OutboundError of a request that fails. */
export async function failure(sent: Promise<unknown>): Promise<OutboundError> {
  const error = await sent.then(
    () => assert.fail('it was answered'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OutboundError, String(error));
  return error;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}
