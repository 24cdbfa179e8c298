/**
 * `npm run bench:clicks -- --pairs 5 --seconds 5`: clicks in emails, each stored in JetStream before it is answered,
 * compared to bare Koa that redirects to any requested URL. The links are signed, from many emails.
 */
import type { ChildProcess } from 'node:child_process';
import { parseArgs } from 'node:util';
import { freePorts } from '../dev/stack/ports.ts';
import { createEmailLinks, trackableLink } from '../domain/emails/rendering/links.ts';
import { TRACKING_HITS } from '../transport/streams.ts';
import { startService } from '../test/support/service.ts';
import { at, sendLoad } from './support/load.ts';
import { processorSeconds } from './support/processes.ts';
import { startServer, stopServer } from './support/server.ts';
import { median, onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' } },
});
const EMAILS = 2_000;
const CONNECTIONS = 64;

interface Server {
  server: ChildProcess;
  port: number;
}

interface Peak {
  rate: number;
  clicks: number;
  /** CPU time of the server per response, in microseconds. */
  processorUs: number;
  p50: number;
  p99: number;
}

async function peak({ server, port }: Server, paths: string[], seconds = Number(values.seconds)): Promise<Peak> {
  const used = await processorSeconds(server);
  const { times, seconds: took } = await sendLoad({ port, paths, seconds, connections: CONNECTIONS });
  const others = [...times.keys()].filter((status) => status !== 302);
  if (others.length > 0) throw new Error(`answers with status ${others.join(', ')}`);
  const redirects = times.get(302)!;
  const processorUs = (((await processorSeconds(server)) - used) * 1e6) / redirects.length;
  return {
    processorUs,
    rate: redirects.length / took,
    clicks: redirects.length,
    p50: at(redirects, 0.5),
    p99: at(redirects, 0.99),
  };
}

await onStack(2, async () => {
  const service = await startService();
  const [apiPort, barePort] = await freePorts(2);
  const limit = '1000000000';
  const env = {
    ...service.slot.env,
    SMTP_URL: service.sink.url,
    LOG_LEVEL: 'info',
    RATE_LIMIT_PUBLIC_PER_MINUTE: limit,
  };
  const api: Server = { server: await startServer('api/server.ts', apiPort!, env), port: apiPort! };
  const bare: Server = {
    server: await startServer('bench/references/bare-redirect.ts', barePort!, env),
    port: barePort!,
  };
  const links = createEmailLinks({ publicUrl: '', signer: service.deps.links });
  const paths = Array.from({ length: EMAILS }, (_, n) =>
    links.clickUrl(n + 1, trackableLink(`https://www.example.com/offers/${n}?utm_source=mail&utm_campaign=spring`)!),
  );

  let answered = 0;
  const ours = async (seconds?: number): Promise<Peak> => {
    const figures = await peak(api, paths, seconds);
    answered += figures.clicks;
    return figures;
  };
  // Warm up until both are compiled.
  await ours(2);
  await peak(bare, paths, 2);
  const pairs: { api: Peak; bare: Peak }[] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const reference = await peak(bare, paths);
    pairs.push({ api: await ours(), bare: reference });
  }
  console.log(`clicks, ${CONNECTIONS} connections, beside bare Koa that redirects`);
  printPairs(
    '/s',
    'api',
    'bare',
    pairs.map((pair) => [pair.api.rate, pair.bare.rate]),
  );
  console.log('what an answer costs its server');
  printPairs(
    'us',
    'bare',
    'api',
    pairs.map((pair) => [pair.bare.processorUs, pair.api.processorUs]),
  );
  const times = ({ p50, p99 }: Peak): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  for (const pair of pairs)
    console.log(
      `  api ${times(pair.api)}   bare ${times(pair.bare)}   p99 ${(pair.api.p99 / pair.bare.p99).toFixed(2)} times`,
    );
  console.log(`  median of the p99s ${median(pairs.map((pair) => pair.api.p99 / pair.bare.p99)).toFixed(2)} times`);

  await Promise.all([stopServer(api.server), stopServer(bare.server)]);
  let stored = 0;
  const { jsm } = service.deps.nats;
  const { state } = await jsm.streams.info(TRACKING_HITS);
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1)
    stored += (await jsm.streams.getMessage(TRACKING_HITS, { seq })).json<{ hits: unknown[] }>().hits.length;
  console.log(`  ${answered} clicks were answered, ${stored} are in JetStream`);
  await service.stop();
});
