/**
 * Sends `count` emails with nodemailer's own pool, as its manual recommends, and prints the elapsed seconds and the CPU
 * seconds: `node bench/references/mail-pool.ts <url> <count> <connections> [<DKIM key as PEM>]`.
 */
import { createTransport } from 'nodemailer';
import { MESSAGE, htmlFor } from './mail-message.ts';

const [url, count, connections, privateKey] = process.argv.slice(2);
const dkim = privateKey ? { dkim: { domainName: 'example.com', keySelector: 'bench', privateKey } } : {};
const transport = createTransport({
  url,
  pool: true,
  maxConnections: Number(connections),
  maxMessages: Infinity,
  ...dkim,
} as object);
const begun = performance.now();
const before = process.cpuUsage();
let next = 0;
async function sendSome(): Promise<void> {
  while (next < Number(count)) {
    const n = (next += 1);
    const html = htmlFor({ firstName: `First${n}`, lastName: 'Last', company: 'Example Works' });
    await transport.sendMail({
      from: MESSAGE.from,
      to: `pool${n}@example.net`,
      subject: `Hello First${n}`,
      html,
      text: MESSAGE.text,
    });
  }
}
// Enough concurrent emails that the pool never waits for the next.
await Promise.all(Array.from({ length: Number(connections) * 5 }, sendSome));
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${(performance.now() - begun) / 1000} ${(user + system) / 1_000_000}\n`);
transport.close();
