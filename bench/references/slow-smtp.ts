/**
 * A mail server that accepts everything and replies to each command after a delay: `node bench/references/slow-smtp.ts
 * <port> <ms>`. It offers PIPELINING (RFC 2920), as mail providers do.
 */
import { createServer } from 'node:net';

const [port, ms] = process.argv.slice(2).map(Number);
const END_OF_MESSAGE = '\r\n.\r\n';

createServer((socket) => {
  let heard = '';
  let inMessage = false;
  const reply = (text: string): void => void setTimeout(() => socket.write(`${text}\r\n`), ms);
  socket.setNoDelay();
  socket.on('error', () => socket.destroy());
  reply('220 slow ESMTP');
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
    for (;;) {
      const end = heard.indexOf(inMessage ? END_OF_MESSAGE : '\r\n');
      if (end < 0) return;
      const line = heard.slice(0, end);
      heard = heard.slice(end + (inMessage ? END_OF_MESSAGE.length : 2));
      if (inMessage) {
        inMessage = false;
        reply('250 accepted');
        continue;
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') reply('250-slow\r\n250 PIPELINING');
      else if (verb === 'DATA') {
        inMessage = true;
        reply('354 go on');
      } else if (verb === 'QUIT') {
        reply('221 bye');
        setTimeout(() => socket.end(), ms);
      } else reply('250 ok');
    }
  });
}).listen(port, '127.0.0.1');
