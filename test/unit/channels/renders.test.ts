import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { LeasedSend } from '../../../domain/channels/ledger/lease-sends.ts';
import { Renders } from '../../../worker/channels/renders.ts';

const links = { publicUrl: 'https://mail.example.com', linkSecret: 'a secret of at least thirty-two characters' };
const provider = (text: string) => ({
  type: 'http' as const,
  config: { url: 'https://sms.example.com', body: { text } },
});
const leased = (body: string): LeasedSend => ({
  ...{ id: 1, tenantId: 'default', messageId: 1, lane: 'transactional', type: 'sms', attempt: 0, channel: 'sms' },
  ...{ category: 'transactional', createdAt: new Date(), linksAt: new Date(), contentVersion: null, data: null },
  ...{ content: { body }, contactId: null, contactVersion: null, contact: null, address: '+15005550006', device: null },
  ...{ providerId: null, boundTo: null, isTest: false, isTooOld: false, optOutText: null, linkCodes: null },
  ...{ hours: null, cappedContactId: null },
});

test('texts that are written by hand need no thread once the texts of their provider are judged', async () => {
  const renders = new Renders({ base: 'https://mail.example.com/r', links });
  const bodies = async (text: string, until: number) => {
    const rendered = await renders.render(leased(text), provider('{{text}}'), until);
    return rendered === 'late' ? rendered : rendered.body;
  };
  assert.equal(await bodies('Hello 1', 0), 'late', 'the first is judged in a thread, for which there is no time here');
  assert.deepEqual(await bodies('Hello 2', Infinity), { text: 'Hello 2' });
  assert.deepEqual(await bodies('Hello 3', 0), { text: 'Hello 3' });
  assert.equal(await bodies('Hello {{email}}', 0), 'late', 'a text with Liquid is judged itself');
});
