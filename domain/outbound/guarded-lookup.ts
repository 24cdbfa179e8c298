import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { OutboundError } from './outbound-error.ts';
import { Places } from '../common/places.ts';
import type { judgeAddress } from './ranges.ts';

/**
 * Lookups block one of the four threads that all files and lookups of a process share, for as long as a name server
 * keeps silent. So at most two of them may be ours.
 */
const places = new Places({ most: 2, mostWaiting: 500, waitMs: 5_000 });

/**
 * A `lookup` for sockets that gives them only addresses with one of these judgements: what was judged is what is
 * connected to, and a name that changes its address is judged again at its next connection.
 */
export function guardedLookup(
  judge: (address: string) => ReturnType<typeof judgeAddress>,
  accepted: readonly ReturnType<typeof judgeAddress>[],
): LookupFunction {
  return (hostname, options, callback) => {
    void places.take('dns').then((isTaken) => {
      if (!isTaken) return callback(new OutboundError('no_answer', 'too many names are looked up'), []);
      lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
        places.free('dns');
        if (error) return callback(error, []);
        const good = found.filter(({ address }) => accepted.includes(judge(address)));
        const [first] = good;
        if (!first) {
          const why = `${hostname} leads to an address that may not be called`;
          return callback(new OutboundError('outbound_refused', why), []);
        }
        if (options.all) callback(null, good);
        else callback(null, first.address, first.family);
      });
    });
  };
}
