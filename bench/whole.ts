/**
 * `npm run bench:whole -- import|send|journey|forms|events|figures`: what a user gets from `npm start` with its defaults: durable, all
 * roles, through the public API, in a new data folder. Reports two rates, until the job says that it is over and until
 * every consumer has caught up, beside a reference that alternates with it, and what a unit costs. docs/performance.md
 * explains the figures. Options: `--count`, `--pairs`; for `import` and `send` also `--probe` (requests
 * of other users meanwhile, and their response times instead of rates); for `send` and `forms` `--connections`; for
 * `send` also `--grown` (with 1 million more contacts and 2 million settled emails in the tables), `--sink` (the path of
 * Postfix's `smtp-sink`) and `--reply-ms` (a server that replies after that time, instead of the sink).
 */
import { parseArgs } from 'node:util';
import { benchEvents } from './whole/events.ts';
import { benchFigures } from './whole/figures.ts';
import { benchForms } from './whole/forms.ts';
import { benchImport } from './whole/import.ts';
import { benchJourney } from './whole/journey.ts';
import { benchSend } from './whole/send.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    pairs: { type: 'string', default: '5' },
    connections: { type: 'string' },
    sink: { type: 'string', default: 'smtp-sink' },
    'reply-ms': { type: 'string' },
    probe: { type: 'boolean', default: false },
    grown: { type: 'boolean', default: false },
  },
});
const pairs = Number(values.pairs);
const count = (standard: number): number => Number(values.count ?? standard);

const benches: Record<string, () => Promise<void>> = {
  import: () => benchImport(count(200_000), pairs, values.probe),
  send: () =>
    benchSend({
      recipients: count(100_000),
      pairs,
      connections: Number(values.connections ?? 20),
      sink: values.sink,
      replyMs: values['reply-ms'] === undefined ? null : Number(values['reply-ms']),
      probe: values.probe,
      grown: values.grown,
    }),
  journey: () => benchJourney(count(10_000), pairs, values.sink),
  events: () => benchEvents(count(200_000), pairs),
  figures: () => benchFigures(count(10_000_000)),
  forms: () => benchForms(count(20_000), pairs, Number(values.connections ?? 32)),
};
const bench = benches[positionals[0] ?? ''];
if (!bench) throw new Error(`Which one? ${Object.keys(benches).join(', ')}`);
await bench();
