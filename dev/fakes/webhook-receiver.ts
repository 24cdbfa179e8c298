import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as the receiver's log has it, in the order of arrival. */
export interface Call {
  at: number;
  id: string;
  sequence: number;
  contactId: number;
  /** The number of the event, which it was written with. */
  event: number;
  isRefused: boolean;
}

export interface Receiver {
  url: string;
  /** Whether it refuses the first call of every third event. */
  refuses: boolean;
  calls: Call[];
  /** The numbers of what it has accepted. */
  accepted: Set<number>;
  close: () => void;
}

/** Somebody else's server, which is never killed. */
export async function startReceiver(refuses: boolean): Promise<Receiver> {
  const calls: Call[] = [];
  const accepted = new Set<number>();
  const seen = new Set<number>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { sequence, data } = JSON.parse(Buffer.concat(parts).toString()) as {
        sequence: number;
        data: { contactId: number; url: string };
      };
      const isRefused = refuses && sequence % 3 === 0 && !seen.has(sequence);
      seen.add(sequence);
      if (!isRefused) accepted.add(sequence);
      calls.push({
        ...{ at: Date.now(), id: String(request.headers['webhook-id']), sequence, contactId: data.contactId },
        ...{ event: Number(data.url.split('/').at(-1)), isRefused },
      });
      response.writeHead(isRefused ? 503 : 204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    refuses,
    calls,
    accepted,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
