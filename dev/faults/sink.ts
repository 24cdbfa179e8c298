/**
 * A mail server that accepts everything. Before it confirms an email, it writes a line `recipient Message-ID time link`
 * (ms since the epoch; the link to unsubscribe, or -), so that every confirmed email is in the file whenever it is killed: `node dev/faults/sink.ts <port>
 * <file>`.
 */
import { openSync, writeSync } from 'node:fs';
import { SMTPServer } from 'smtp-server';

const [port, file] = process.argv.slice(2);
const log = openSync(file!, 'a');

const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData(stream, session, callback) {
    let head = '';
    stream.on('data', (part: Buffer) => {
      if (head.length < 4096) head += part.toString('latin1');
    });
    stream.on('end', () => {
      const messageId = /^Message-ID: (\S+)/im.exec(head)?.[1] ?? '-';
      const link = /^List-Unsubscribe: <(\S+)>/im.exec(head)?.[1] ?? '-';
      writeSync(log, `${session.envelope.rcptTo[0]?.address ?? '-'} ${messageId} ${Date.now()} ${link}\n`);
      callback();
    });
  },
});
server.on('error', () => {});
server.listen(Number(port), '127.0.0.1');
