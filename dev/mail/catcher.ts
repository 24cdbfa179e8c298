/** `catcher.ts <folder> <SMTP port> <page port>`: takes every mail, delivers none and shows them all on a page. Loopback only. */
import { readFileSync } from 'node:fs';
import { SMTPServer, type SMTPServerAddress } from 'smtp-server';
import { Mailbox } from './mailbox.ts';
import { mailPages } from './pages.ts';

/** The oldest go first. */
const MAX_MAILS = 100_000;
const MAX_BYTES = 50 * 1024 * 1024;
const HOST = '127.0.0.1';

const [folder = '', smtpPort, pagePort] = process.argv.slice(2);
const box = await Mailbox.open(folder, MAX_MAILS);

const pages = mailPages(box, readFileSync(new URL('page.html', import.meta.url)));
const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  size: MAX_BYTES,
  onData(stream, { envelope }, callback) {
    const parts: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MAX_BYTES) parts.push(part);
    });
    stream.on('end', () => {
      if (bytes > MAX_BYTES) {
        callback(Object.assign(new Error('The mail is too large'), { responseCode: 552 }));
        return;
      }
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      const to = envelope.rcptTo.map(({ address }: SMTPServerAddress) => address);
      box.add(Buffer.concat(parts), { from, to }).then(() => callback(), callback);
    });
  },
});
// A client that went away; a port that is taken ends the process, and the log tells which.
smtp.on('error', (error: NodeJS.ErrnoException) => {
  console.error(error.message);
  if (error.code === 'EADDRINUSE') process.exit(1);
});
pages.listen(Number(pagePort), HOST, () => smtp.listen(Number(smtpPort), HOST));

// A mail is on disk before it is acknowledged, so there is nothing to wait for.
process.on('SIGTERM', () => process.exit(0));
