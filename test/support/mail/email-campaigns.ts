import assert from 'node:assert/strict';
import { makeContact } from './emails.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

let made = 0;

/** Creates contacts and a list of them; returns both. */
export async function makeAudience(
  service: Service,
  size: number,
  fields: (n: number) => Record<string, unknown> = () => ({}),
) {
  const contacts: { id: number; email: string }[] = [];
  for (let n = 0; n < size; n += 1) contacts.push(await makeContact(service, fields(n)));
  return {
    contacts,
    listId: await makeList(
      service,
      contacts.map(({ id }) => id),
    ),
  };
}

/** Creates a static list; returns its id. */
export async function makeList(service: Service, contactIds: number[]): Promise<number> {
  made += 1;
  const answer = await service.api('POST', '/contacts/lists', { name: `Audience ${made}`, contactIds });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}

/** Creates an email campaign and returns it. */
export async function makeEmailCampaign(service: Service, body: Record<string, unknown>) {
  const answer = await service.api('POST', '/emails/campaigns', { name: `Mailing ${(made += 1)}`, ...body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

export const readCampaign = async (service: Service, id: number) =>
  (await service.api('GET', `/emails/campaigns/${id}`)).body;

/** The figures of a campaign. Also asserts that they add up. */
export async function readFigures(service: Service, id: number) {
  const { status, body } = await service.api('GET', `/emails/campaigns/${id}/stats`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(
    body.audience,
    body.queued + body.sent + body.failed + body.suppressed + body.unknown,
    JSON.stringify(body),
  );
  if (body.status === 'SENT') assert.equal(body.queued, 0);
  return body;
}

export async function untilCampaign(service: Service, id: number, status: string, timeoutMs?: number) {
  return until(
    `email campaign ${id} is ${status}`,
    async () => {
      const found = await readFigures(service, id);
      return found.status === status ? found : null;
    },
    timeoutMs,
  );
}
