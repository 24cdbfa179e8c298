import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { startService, type Service } from '../../support/service.ts';
import { newMember } from '../../support/users.ts';

// Without a worker, all that runs in this process is what a request does.
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { Client } = pg as unknown as { Client: { prototype: { query: (...args: unknown[]) => unknown } } };

/** What Postgres is asked while `work` runs. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const statements: string[] = [];
  const original = Client.prototype.query;
  Client.prototype.query = function (this: unknown, ...args: unknown[]) {
    const [query] = args as [string | { text?: string }];
    statements.push(typeof query === 'string' ? query : (query.text ?? ''));
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    Client.prototype.query = original;
  }
  return statements;
}

test('to ask for a mail runs the same statements whether anybody has the address or not', async () => {
  const { user } = await newMember(service.api);
  const ask = (path: string, email: string) =>
    statementsOf(async () => {
      assert.equal((await service.api('POST', path, { email }, { token: null })).status, 202);
    });
  for (const path of ['/auth/forgot-password', '/auth/verify-email/resend']) {
    await ask(path, 'first@example.com');
    const known = await ask(path, user.email);
    const unknown = await ask(path, 'nobody@example.com');
    assert.ok(
      known.some((statement) => /insert into account_mail_requests/.test(statement)),
      JSON.stringify(known),
    );
    assert.ok(!known.some((statement) => /\busers\b/.test(statement)), 'nobody is looked up');
    assert.deepEqual(unknown, known);
  }
});
