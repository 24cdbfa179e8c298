import { randomUUID } from 'node:crypto';
import { connect, engineEm, rows, sql } from './db/orm.ts';
import { scoreEvents } from './domain/scoring/score-events.ts';
import { foldEvents } from './domain/analytics/fold-events.ts';
import { claimSlot } from './test/support/slot.ts';
import { onStack } from './bench/support/stack.ts';
import { provisionScoring } from './domain/scoring/provision.ts';
await onStack(1, async () => {
  const slot = await claimSlot();
  const orm = await connect(slot.env['DATABASE_URL']!);
  try {
    await engineEm(orm).transactional(async (tx) => {
      await provisionScoring(tx, 'default').catch(() => {});
    });
    await engineEm(orm).transactional(async (tx) => {
      await rows(tx, sql`insert into contacts (tenant_id, first_name, last_name, email, email_key) select 'default','F','L','a'||n||'@x.example','a'||n||'@x.example' from generate_series(1,20000) n`);
    });
    const ids = (await engineEm(orm).transactional((tx) => rows<{ id: number }>(tx, sql`select id from contacts`))).map((r) => r.id);
    const make = (n: number) => Array.from({ length: 2000 }, (_, k) => ({ id: randomUUID(), type: 'WEBSITE_VISITED', time: new Date().toISOString(), tenantid: 'default', data: { contactId: ids[(n * 7919 + k * 104729) % ids.length], url: 'https://example.com/x' } }));
    const all = Array.from({ length: 60 }, (_, n) => make(n)) as never[][];
    for (let i = 0; i < 10; i++) await engineEm(orm).transactional((tx) => scoreEvents(tx, all[i]!));
    const t = performance.now(); const c = process.cpuUsage();
    for (let i = 10; i < 60; i++) await engineEm(orm).transactional((tx) => scoreEvents(tx, all[i]!));
    const d = process.cpuUsage(c);
    console.log('scoring', ((performance.now() - t) * 1000 / 100000).toFixed(1), 'us wall/event; js cpu', ((d.user + d.system) / 100000).toFixed(1));
    const t2 = performance.now(); const c2 = process.cpuUsage();
    for (let i = 10; i < 60; i++) await engineEm(orm).transactional((tx) => foldEvents(tx, all[i]!.map((e: any) => ({ ...e, type: 'EMAIL_OPENED', data: { ...e.data, emailId: 1, templateId: 2, automated: false } })) as never));
    const d2 = process.cpuUsage(c2);
    console.log('figures', ((performance.now() - t2) * 1000 / 100000).toFixed(1), 'us wall/event; js cpu', ((d2.user + d2.system) / 100000).toFixed(1));
  } finally { await orm.close(); await slot.release(); }
});
