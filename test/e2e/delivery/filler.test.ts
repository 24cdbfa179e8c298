import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { inThread } from '../../../domain/threads/in-thread.ts';
import { Domains } from '../../../worker/senders/domains.ts';
import { Filler } from '../../../worker/senders/filler.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** A lane's buffer: eight for each email that may be in doubt. */
const FULL = 32;
const COUNT = 20 * FULL;

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { SEND_CONNECTIONS: '4', SEND_IN_DOUBT: '4' } });
});
afterAll(() => service.stop());

const L = (k: number) => `{% for i in (1..${k}) %}{% for j in (1..100) %}{% assign a = j %}{% endfor %}{% endfor %}`;

/** Both threads work for others, until they are ended for it. */
function occupyThreads(): Promise<unknown> {
  const source = `{{ "${'a'.repeat(20)}" | replace: "a", "b" }}${L(10_000_000)}`;
  const job = { name: 'renderTexts', args: [[{ source, most: 10 }], null] };
  return Promise.allSettled(['busy-1', 'busy-2'].map((tenantId) => inThread(tenantId, job)));
}

async function queueEmailsOf(content: string): Promise<void> {
  const made = await service.api('POST', '/emails/templates', {
    ...{ name: content, category: 'transactional', subject: 'Hello', content },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const templateId = made.body.id as number;
  await engineEm(service.deps.orm).transactional((tx) =>
    queueEmails(
      tx,
      'default',
      Array.from({ length: COUNT }, (_, n) => ({
        ...{ sendKey: `${templateId}/${n}`, templateId, contactId: null, requestId: null, accepted: true },
        ...{ toAddress: `a${n}@example.org`, lane: 'transactional' as const },
      })),
    ),
  );
}

const leased = async (): Promise<number> => {
  const [found] = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ n: number }>(tx, sql`select count(*)::int as n from emails where status = 'QUEUED' and lease_until > now()`),
  );
  return found!.n;
};

/** Leases and renders, and sends nothing. */
function startFiller(): Filler {
  const filler = new Filler(service.deps, {
    ...{ holder: 'a-filler', domains: new Domains(0), onReady: () => {}, mayLease: () => true },
  });
  onTestFinished(() => filler.stop());
  return filler;
}

test('while the threads are busy, no more emails of a new template are leased than fit, and a stop gives all back', async () => {
  await queueEmailsOf('<p>Hello {{ email }}</p>');
  const busy = occupyThreads();
  const filler = startFiller();
  await until('what is leased is rendered', () => filler.sendable() >= FULL);
  assert.equal(await leased(), FULL);
  await busy;
  await filler.stop();
  assert.equal(await leased(), 0);
});

test('a stop gives back what waits for a thread, and what a thread has', async () => {
  await engineEm(service.deps.orm).transactional((tx) => rows(tx, sql`update emails set status = 'SENT'`));
  // Each takes a thread so long that they are far from done.
  await queueEmailsOf(`${L(300)}<p>Hello</p>`);
  const filler = startFiller();
  await until('a thread has rendered one', () => filler.sendable() > 0);
  assert.ok((await leased()) > filler.sendable());
  await filler.stop();
  assert.equal(await leased(), 0);
});
