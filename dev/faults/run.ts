/**
 * `npm run faults -- import --rows 200000 --kills 20 --seed 1`: compares an import with kills to an undisturbed one;
 * `undo`: the same for the undo of an import; `email`: a campaign while every part is killed or, with `--freeze`, one
 * is stopped; `failover`: kills the first of two mail providers in the middle; `events`: compares effects and streams to what was
 * written while relay, consumers, Postgres and NATS are killed and batches are redelivered; `journeys`: compares
 * executions, emails, statistics and workflows while worker and Temporal are killed; `forms`: compares submissions that
 * were answered with what is stored while API and Postgres are killed; `webhooks`: compares what receivers got with what
 * was written, and with the proof of the API, while every part is killed; `channels`: compares text messages and pushes
 * with the logs of a gateway, FCM and a push service, while those and the service are killed and a worker is stopped;
 * `reconcile`: compares rows, workflows and emails after Temporal was set back and emptied among kills; `restore`: puts
 * Postgres back to an older copy and compares emails, journeys and opt-outs with the log of the mail server.
 */
import { channelFaults } from './channels.ts';
import { emailFaults } from './email.ts';
import { eventFaults } from './events.ts';
import { failoverFaults } from './failover.ts';
import { formFaults } from './forms.ts';
import { importFaults } from './import.ts';
import { journeyFaults } from './journeys.ts';
import { reconcileFaults } from './reconcile.ts';
import { restoreFaults } from './restore.ts';
import { undoFaults } from './undo.ts';
import { webhookFaults } from './webhooks.ts';

const kinds: Record<string, (args: string[]) => Promise<boolean>> = {
  channels: channelFaults,
  email: emailFaults,
  events: eventFaults,
  failover: failoverFaults,
  forms: formFaults,
  import: importFaults,
  journeys: journeyFaults,
  reconcile: reconcileFaults,
  restore: restoreFaults,
  undo: undoFaults,
  webhooks: webhookFaults,
};
const [kind = '', ...args] = process.argv.slice(2);
const run = kinds[kind];
if (!run) {
  process.stderr.write(`Say which: npm run faults -- ${Object.keys(kinds).join(' | ')}\n`);
  process.exit(2);
}
process.exit((await run(args)) ? 0 : 1);
