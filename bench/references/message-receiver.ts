/**
 * `node bench/references/message-receiver.ts {port}`: takes text messages as a gateway does, and pushes as a push service
 * does, at once. `GET /taken` answers with how many came, and forgets them.
 */
import { createServer } from 'node:http';

let taken = 0;

createServer((request, response) => {
  if (request.url === '/taken') {
    response.end(String(taken));
    taken = 0;
    return;
  }
  request.resume();
  request.on('end', () => {
    taken += 1;
    const isText = request.url!.endsWith('/Messages.json');
    const answer = isText ? JSON.stringify({ sid: `SM${Date.now()}-${taken}`, status: 'queued' }) : '';
    response.writeHead(201, { 'content-length': answer.length }).end(answer);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
