import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** What the server does: with a recipient, or with a message whose final dot has come. `drop` ends the connection without an answer. */
export type Reaction = string;

export interface Script {
  /** Before the greeting; default `220 ready`. */
  greet?: () => Reaction | Promise<Reaction>;
  /** To EHLO; default `250 ok`. */
  ehlo?: string;
  rcpt?: (to: string) => Reaction | Promise<Reaction>;
  /** To DATA; default 503 without a recipient, else 354. */
  data?: () => string;
  /** After the final dot, with what else came in its packet; what answers 2xx counts as accepted. Default `250 accepted`. */
  dot?: (to: string, after: string) => Reaction | Promise<Reaction>;
}

export interface ScriptedSmtp {
  url: string;
  port: number;
  script: Script;
  /** Recipients of messages whose final dot came, in order; accepted or not. */
  dots: string[];
  /** Recipients of messages that were answered 2xx. */
  accepted: string[];
  /** What has come of a message whose dot has not. */
  unfinished: string;
  connections: Set<Socket>;
  /** Closes the port and every connection; `start` opens the same port again. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

/** A mail server at the level of the wire, for answers and losses that a sound server never shows. */
export async function startScriptedSmtp(script: Script = {}): Promise<ScriptedSmtp> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    // A socket that is destroyed in the middle is what some scripts are about.
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

/** A gate to hold answers at: `await gate.opened` until `gate.open()`. */
export function holdOpen(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
