import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Places } from '../../lib/async/places.ts';
import { OutboundError, outboundError } from './outbound-error.ts';
import type { judgeAddress } from '../../lib/addresses/ranges.ts';

/**
 * Lookups by the system block one of the four threads that all files and lookups of a process share. So at most two of
 * them may be ours.
 */
const systemPlaces = new Places({ most: 2, mostWaiting: 500, waitMs: 5_000 });

/** Asks the name servers without blocking a thread: a silent one delays nobody else. */
export const createResolver = (): dns.Resolver => new dns.Resolver({ timeout: 2_000, tries: 2 });

/**
 * A `lookup` for sockets that gives them only addresses with one of these judgements: what was judged is what is
 * connected to, and a name that changes its address is judged again at its next connection.
 */
export function guardedLookup(
  resolver: dns.Resolver,
  judge: (address: string) => ReturnType<typeof judgeAddress>,
  accepted: readonly ReturnType<typeof judgeAddress>[],
): LookupFunction {
  return (hostname, options, callback) => {
    addressesOf(resolver, hostname).then(
      (found) => {
        const good = found.filter(({ address }) => accepted.includes(judge(address)));
        const [first] = good;
        if (!first) {
          // The same for a name that there is not: nobody is to find out which internal names there are.
          const why = `${hostname} leads to no address that may be called`;
          return callback(new OutboundError('outbound_refused', why, { isAboutName: true }), []);
        }
        if (options.all) callback(null, good);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(outboundError(error), []),
    );
  };
}

/** The addresses of a name. Names that no name server knows may be known to the system, from /etc/hosts for example. */
async function addressesOf(resolver: dns.Resolver, hostname: string): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  );
  if (found.length > 0) return found;
  const silent = answers.find((answer) => answer.status === 'rejected' && codeOf(answer.reason) === dns.TIMEOUT);
  if (silent) throw new OutboundError('no_answer', `no name server answers for ${hostname}`);
  return addressesOfSystem(hostname).catch((error: unknown) => {
    if (NO_ADDRESS.includes(codeOf(error) ?? '')) return [];
    throw error;
  });
}

/** What the system says of a name that there is not, or that has no address. */
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA'];

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const addressesOfSystem = (hostname: string): Promise<LookupAddress[]> =>
  systemPlaces.hold(
    'all',
    () => new OutboundError('busy', 'too many names are looked up'),
    () => dns.lookup(hostname, { all: true }),
  );
