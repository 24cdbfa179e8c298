import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';

export interface Provider {
  url: string;
  port: number;
  /** Bodies as they were before dot-stuffing, in the order of their ends. */
  messages: Buffer[];
  recipients: string[];
  connections: number;
  /** What to answer to a recipient; null accepts. */
  rcpt: (address: string) => [code: number, text: string] | null;
  /** What to answer to the final dot; may be slow. */
  dot: (message: Buffer) => Promise<[code: number, text: string] | null>;
  server: SMTPServer;
  close: () => Promise<void>;
}

const refusal = ([responseCode, text]: [number, string]): Error => Object.assign(new Error(text), { responseCode });

/** A real SMTP server on a port of loopback, a free one by default. */
export async function startProvider(options: SMTPServerOptions = {}, listenOn = 0): Promise<Provider> {
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onConnect(_session, done) {
      provider.connections += 1;
      done();
    },
    onRcptTo({ address }, _session, done) {
      const refused = provider.rcpt(address);
      if (!refused) provider.recipients.push(address);
      done(refused && refusal(refused));
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const message = Buffer.concat(chunks);
        provider.messages.push(message);
        void provider.dot(message).then((refused) => done(refused && refusal(refused)));
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(listenOn, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const provider: Provider = {
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    port,
    messages: [],
    recipients: [],
    connections: 0,
    rcpt: () => null,
    dot: () => Promise.resolve(null),
    server,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return provider;
}
