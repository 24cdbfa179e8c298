import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface EndpointAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** What happens after the request has come, and before it is answered. */
  before?: () => unknown;
}

export interface Endpoint {
  /** On 127.0.0.1, over http. */
  url: string;
  received: Received[];
  close: () => Promise<void>;
}

/** A server of somebody else that gives these answers in turn, the last one for ever; null = it never answers. */
export async function startEndpoint(answers: (EndpointAnswer | null)[]): Promise<Endpoint> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({ method: method!, path: url!, headers, body: Buffer.concat(parts).toString() });
      const answer = answers[Math.min(received.length, answers.length) - 1];
      if (!answer) return;
      void Promise.resolve(answer.before?.()).then(() =>
        response.writeHead(answer.status, answer.headers).end(answer.body),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
