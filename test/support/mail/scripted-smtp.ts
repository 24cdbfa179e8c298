import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/**
 * The server's reply, to a recipient or to a message after its final dot. `drop` closes the connection without a reply.
 */
export type Reaction = string;

export interface Script {
  /** Before the greeting; default `220 ready`. */
  greet?: () => Reaction | Promise<Reaction>;
  /** The reply to EHLO; default `250 ok`. */
  ehlo?: string;
  rcpt?: (to: string) => Reaction | Promise<Reaction>;
  /** The reply to DATA; default 503 without a recipient, else 354. */
  data?: () => string;
  /**
   * Called after the final dot, with any further data in its packet; a 2xx reply counts as accepted. Default `250
   * accepted`.
   */
  dot?: (to: string, after: string) => Reaction | Promise<Reaction>;
}

export interface ScriptedSmtp {
  url: string;
  port: number;
  script: Script;
  /** The recipients of messages whose final dot has arrived, in order; accepted or not. */
  dots: string[];
  /** The recipients of messages that got a 2xx reply. */
  accepted: string[];
  /** The data of a message whose final dot has not arrived. */
  unfinished: string;
  connections: Set<Socket>;
  /** Closes the port and every connection; `start` opens the same port again. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

/** A mail server at protocol level, for replies and failures that a working server never shows. */
export async function startScriptedSmtp(script: Script = {}): Promise<ScriptedSmtp> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    // Some scripts destroy the socket in the middle.
    converse(socket).catch(() => {});
  });
  const smtp: ScriptedSmtp = {
    url: '',
    port: 0,
    script,
    dots: [],
    accepted: [],
    unfinished: '',
    connections: sockets,
    async start() {
      server.listen(smtp.port, '127.0.0.1');
      await once(server, 'listening');
      smtp.port = (server.address() as { port: number }).port;
      smtp.url = `smtp://127.0.0.1:${smtp.port}`;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };

  async function converse(socket: Socket): Promise<void> {
    let to = '';
    let buffer = '';
    let [inData, hasRecipient] = [false, false];
    const say = async (reaction: Reaction | Promise<Reaction>): Promise<boolean> => {
      const answer = await reaction;
      if (answer === 'drop') socket.destroy();
      else socket.write(`${answer}\r\n`);
      return answer.startsWith('2');
    };
    await say(smtp.script.greet?.() ?? '220 ready');
    for await (const chunk of socket.setEncoding('latin1')) {
      buffer += chunk as string;
      for (;;) {
        const end = inData ? '\r\n.\r\n' : '\r\n';
        const at = buffer.indexOf(end);
        if (at < 0) break;
        const line = buffer.slice(0, at);
        buffer = buffer.slice(at + end.length);
        const verb = line.slice(0, 4).toUpperCase();
        if (inData) {
          inData = false;
          smtp.dots.push(to);
          if (await say(smtp.script.dot?.(to, buffer) ?? '250 accepted')) smtp.accepted.push(to);
        } else if (verb === 'MAIL') {
          hasRecipient = false;
          await say('250 ok');
        } else if (verb === 'RCPT') {
          to = /<([^>]*)>/.exec(line)?.[1] ?? '';
          hasRecipient = await say(smtp.script.rcpt?.(to) ?? '250 ok');
        } else if (verb === 'DATA') {
          const answer = smtp.script.data?.() ?? (hasRecipient ? '354 go on' : '503 no recipients');
          inData = answer.startsWith('3');
          await say(answer);
        } else if (verb === 'QUIT') {
          await say('221 bye');
          socket.end();
        } else await say((verb === 'EHLO' ? smtp.script.ehlo : null) ?? '250 ok');
      }
      smtp.unfinished = inData ? buffer : '';
    }
  }

  await smtp.start();
  return smtp;
}

/** A gate for holding back replies: `await gate.opened` until `gate.open()`. */
export function holdOpen(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
