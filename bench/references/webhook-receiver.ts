/**
 * `node bench/references/webhook-receiver.ts {port}`: receives webhooks. `/slow` answers after 15 s, `/never` never,
 * anything else at once. `GET /taken` answers with, and forgets, the milliseconds from each event to its arrival, by the
 * first part of the path.
 */
import { createServer } from 'node:http';

const SLOW_MS = 15_000;
const taken: Record<string, number[]> = {};

createServer((request, response) => {
  const [, first = ''] = request.url!.split('/');
  if (first === 'taken') {
    response.end(JSON.stringify(taken));
    for (const name of Object.keys(taken)) delete taken[name];
    return;
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => (text += part));
  request.on('end', () => {
    // As our bodies begin.
    const at = /"timestamp":"([^"]+)"/.exec(text)?.[1];
    (taken[first] ??= []).push(at ? Date.now() - Date.parse(at) : 0);
    const answer = (): void => void response.writeHead(204).end();
    if (first === 'slow') setTimeout(answer, SLOW_MS);
    else if (first !== 'never') answer();
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
