import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders, webhookSecret } from '../../../domain/outbound/sign-webhook.ts';

const [now, before] = ['n'.repeat(32), 'b'.repeat(32)];
const body = '{"type":"campaign.step"}';
const signed = (LINK_SECRET: string, LINK_SECRET_PREVIOUS = '', tenantId = 'default') =>
  webhookHeaders({ LINK_SECRET, LINK_SECRET_PREVIOUS }, { tenantId, id: 'an-id', at: new Date(), body });
const verify = (secret: string, headers: Record<string, string>, payload = body) =>
  new Webhook(webhookSecret({ LINK_SECRET: secret }, 'default')).verify(payload, headers);

test("the tenant's secret verifies, as the library of Standard Webhooks does it", () => {
  assert.match(webhookSecret({ LINK_SECRET: now }, 'default'), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(verify(now, signed(now)), { type: 'campaign.step' });
  assert.equal(signed(now)['webhook-id'], 'an-id');
  assert.match(signed(now)['webhook-signature']!, /^v1,[A-Za-z0-9+/]{43}=$/);
});

test('another body, another id, another tenant or another LINK_SECRET does not', () => {
  assert.throws(() => verify(now, signed(now), `${body} `));
  assert.throws(() => verify(now, { ...signed(now), 'webhook-id': 'another' }));
  assert.throws(() => verify(now, signed(now, '', 'other')));
  assert.throws(() => verify(before, signed(now)));
});

test('while LINK_SECRET is rotated, both secrets verify', () => {
  const headers = signed(now, before);
  assert.equal(headers['webhook-signature']!.split(' ').length, 2);
  for (const secret of [now, before]) assert.ok(verify(secret, headers));
});
