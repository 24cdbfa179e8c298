import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';

/** What a scripted server does at one point: a reply line, nothing at all, or something of its own. */
export type Step = string | null | ((socket: net.Socket) => void);

export interface WireScript {
  greeting?: Step;
  ehlo?: Step;
  mail?: Step;
  rcpt?: Step;
  data?: Step;
  /** When the first bytes of a message come. */
  firstBytes?: Step;
  /** When the dot has come. */
  dot?: Step;
}

export interface WireServer {
  url: string;
  /** Every command line, in order, over all connections. */
  commands: string[];
  /** What was received in DATA, per message, the dot included when it came. */
  messages: string[];
  connections: number;
  sockets: Set<net.Socket>;
  /** May be changed on the way. */
  script: WireScript;
  /** Returns a DATA as a script that has nothing to say to it. */
  takeMessage: (socket: net.Socket) => void;
  close: () => Promise<void>;
}

const DOT = '\r\n.\r\n';

/** A provider that speaks SMTP badly on purpose, and remembers every byte. */
export async function startWireServer(script: WireScript): Promise<WireServer> {
  const inData = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    wire.connections += 1;
    wire.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      wire.sockets.delete(socket);
      inData.delete(socket);
    });
    const play = (step: Step | undefined, otherwise: string): void => {
      const what = step === undefined ? otherwise : step;
      if (typeof what === 'string') socket.write(`${what}\r\n`);
      else what?.(socket);
    };
    let buffered = '';
    play(script.greeting, '220 wire ready');
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      while (buffered !== '') {
        if (inData.has(socket)) {
          const message = wire.messages.length - 1;
          const before = wire.messages[message] ?? '';
          const all = before + buffered;
          const end = all.startsWith('.\r\n') ? 3 : all.indexOf(DOT) < 0 ? -1 : all.indexOf(DOT) + DOT.length;
          wire.messages[message] = end < 0 ? all : all.slice(0, end);
          buffered = end < 0 ? '' : all.slice(end);
          if (before === '' && script.firstBytes !== undefined) play(script.firstBytes, '');
          if (end < 0) return;
          inData.delete(socket);
          play(script.dot, '250 taken');
          continue;
        }
        const line = buffered.indexOf('\r\n');
        if (line < 0) return;
        const command = buffered.slice(0, line);
        buffered = buffered.slice(line + 2);
        wire.commands.push(command);
        if (/^EHLO/i.test(command)) play(script.ehlo, '250-wire\r\n250 8BITMIME');
        else if (/^MAIL/i.test(command)) play(script.mail, '250 sender ok');
        else if (/^RCPT/i.test(command)) play(script.rcpt, '250 recipient ok');
        else if (/^QUIT/i.test(command)) socket.end('221 bye\r\n');
        else if (/^DATA/i.test(command)) {
          if (script.data === undefined) wire.takeMessage(socket);
          else play(script.data, '');
        } else socket.write('250 ok\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wire: WireServer = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands: [],
    messages: [],
    connections: 0,
    sockets: new Set(),
    script,
    takeMessage(socket) {
      socket.write('354 go on\r\n');
      inData.add(socket);
      wire.messages.push('');
    },
    async close() {
      for (const socket of wire.sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return wire;
}
