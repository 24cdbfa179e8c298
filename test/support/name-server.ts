import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const TYPES = { 4: 1, 6: 28 } as const;
const HEADER = 12;

/** The answer to a question (RFC 1035, section 4.1): addresses that may not be kept, or that there is no such name. */
function answerTo(query: Buffer, addresses: readonly string[] | undefined): Buffer {
  const end = query.indexOf(0, HEADER) + 5;
  const type = query.readUInt16BE(end - 4);
  const records = (addresses ?? [])
    .filter((address) => TYPES[isIP(address) as 4 | 6] === type)
    .map((address) => {
      const bytes = ipaddr.parse(address).toByteArray();
      // The name of the question, the type, the class IN, a time to live of 0, the length.
      return Buffer.from([0xc0, HEADER, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
    });
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2);
  for (const [index, count] of [1, records.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index);
  return Buffer.concat([head, ...records]);
}

const nameIn = (query: Buffer): string => {
  const labels: string[] = [];
  for (let at = HEADER; query[at] !== 0; at += query[at]! + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
  return labels.join('.').toLowerCase();
};

export interface NameServer {
  /** Asks this server alone. */
  resolver: Resolver;
  close: () => void;
}

/**
 * Starts a name server. `addresses` says where a name leads when it is asked for the `turn`th time, from 1; null = the
 * server keeps silent, undefined = there is no such name. Answers may not be kept, as of somebody who rebinds a name.
 */
export async function startNameServer(
  addresses: (name: string, turn: number) => readonly string[] | null | undefined,
  options?: ConstructorParameters<typeof Resolver>[0],
): Promise<NameServer> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  // Both types of addresses of a name are asked for each time. A resolver that is late to read its answer asks again
  // under the same id, which is no further turn.
  const asked = new Map<string, Set<number>>();
  socket.on('message', (query, { port, address }) => {
    const name = nameIn(query);
    const question = `${name} ${query.readUInt16BE(query.indexOf(0, HEADER) + 1)}`;
    const ids = asked.get(question) ?? new Set();
    asked.set(question, ids.add(query.readUInt16BE(0)));
    const turn = [...ids].indexOf(query.readUInt16BE(0)) + 1;
    const found = addresses(name, turn);
    if (found !== null) socket.send(answerTo(query, found), port, address);
  });
  const resolver = new Resolver(options);
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return { resolver, close: () => void socket.close() };
}
