import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A request with a JSON body. */
export interface Post {
  path: string;
  body: object;
}

export interface Load {
  port: number;
  /** Omitted for public endpoints. */
  token?: string;
  /** Sent one after the other, and from the first again. */
  paths: readonly (string | Post)[];
  /** Sends each request once, and ends with the last response. */
  once?: boolean;
  connections: number;
  seconds: number;
  /**
   * Requests per second, sent whether or not earlier ones are answered, if a connection is free. Without it, as fast as
   * they are answered.
   */
  rate?: number;
}

export interface Outcome {
  /** The response times (ms), by status, sorted. */
  times: Map<number, number[]>;
  seconds: number;
}

const TICK_MS = 2;
/** Requests come from a person's browser: those of programs are no opens and clicks. */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/**
 * Sends requests over keep-alive connections and times their responses. It only parses the status and length of a
 * response: on a machine with few cores, generating the load takes CPU time from the server.
 */
export async function sendLoad({ port, token, paths, once, connections, seconds, rate }: Load): Promise<Outcome> {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const requests = paths.map((one) => {
    if (typeof one === 'string')
      return Buffer.from(`GET ${one} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${AGENT}\r\n${authorization}\r\n`);
    const body = Buffer.from(JSON.stringify(one.body));
    const head = `POST ${one.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${authorization}\r\n`;
    return Buffer.concat([Buffer.from(head), body]);
  });
  const times = new Map<number, number[]>();
  const idle: (() => void)[] = [];
  const sockets: Socket[] = [];
  let failure: Error | null = null;
  let sent = 0;
  let answered = 0;
  let stopped = false;
  for (let n = 0; n < connections; n += 1) {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    sockets.push(socket);
    let begun = 0;
    const send = (): void => {
      if (once && sent === requests.length) return;
      begun = performance.now();
      socket.write(requests[sent % requests.length]!);
      sent += 1;
    };
    onAnswers(socket, (status) => {
      const took = performance.now() - begun;
      answered += 1;
      const same = times.get(status);
      if (same) same.push(took);
      else times.set(status, [took]);
      if (rate === undefined && !stopped) send();
      else idle.push(send);
    });
    socket.on('error', (error) => {
      failure ??= error;
    });
    socket.on('close', () => {
      if (!stopped) failure ??= new Error('the server closed a connection');
    });
    idle.push(send);
  }
  const begin = performance.now();
  if (rate === undefined) for (const send of idle.splice(0)) send();
  while (performance.now() - begin < seconds * 1000 && !failure && !(once && answered === requests.length)) {
    await delay(TICK_MS);
    if (rate === undefined) continue;
    const due = Math.floor(((performance.now() - begin) / 1000) * rate);
    while (sent < due && idle.length > 0) idle.shift()!();
  }
  stopped = true;
  const took = (performance.now() - begin) / 1000;
  for (const socket of sockets) socket.destroy();
  if (failure) throw failure as Error;
  for (const same of times.values()) same.sort((a, b) => a - b);
  return { times, seconds: took };
}

/** Calls back with the status of each complete response. Responses must have a Content-Length. */
function onAnswers(socket: Socket, answered: (status: number) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (part) => {
    pending = pending.length === 0 ? part : Buffer.concat([pending, part]);
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = pending.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head);
    if (pending.length < end + 4 + Number(length?.[1] ?? 0)) return;
    pending = Buffer.alloc(0);
    answered(Number(head.slice(9, 12)));
  });
}

/** The quantile of sorted values: `share` of them are below it. */
export const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
