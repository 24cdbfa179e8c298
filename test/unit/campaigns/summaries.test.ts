import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { withNames } from '../../../domain/campaign-definitions/load-definition.ts';
import { type Names, shortSummary } from '../../../domain/campaign-definitions/names.ts';
import { begin } from '../../../domain/campaigns/execution/advance.ts';
import { escapeMarkdown } from '../../../registry/markdown.ts';
import { shownOf } from '../../../registry/search-attributes.ts';
import { always, goesOn, moment, valid } from './support.ts';

const NOON = moment('2026-03-02T12:00:00Z');
const names: Names = {
  templates: { 1: 'Welcome' },
  messageTemplates: { 1: 'Sale', 2: 'Last call' },
  lists: { 2: 'Customers' },
  segments: { 3: 'VIP', 2: 'Customers' },
  forms: { 4: 'Contact us' },
  campaigns: {},
};
const summary = (step: unknown, known: Names | null = names): string =>
  goesOn(begin(withNames(valid([step]), known), NOON)).next.summary;

test('summaries name what a step is about; without names, they have ids', () => {
  const email = { type: 'EMAIL', config: { templateId: 1 } };
  assert.equal(summary(email), 'email: Welcome');
  assert.equal(summary(email, null), 'email template 1');
  assert.equal(summary({ type: 'EMAIL', config: { templateId: 9 } }), 'email template 9');
  const text = { type: 'SMS', config: { templateId: 1 } };
  const push = { type: 'PUSH', config: { templateId: 2 } };
  assert.deepEqual([summary(text), summary(push)], ['text: Sale', 'push: Last call']);
  assert.deepEqual([summary(text, null), summary(push, null)], ['text template 1', 'push template 2']);
  const message = { type: 'MESSAGE', config: { templates: { email: 1, sms: 1, push: 3 }, order: 'preferred' } };
  assert.deepEqual(
    [summary(message), summary(message, null)],
    ['message: Welcome, Sale', 'message by email, sms, push'],
  );
  const list = (action: string) => ({ type: 'SEGMENT', config: { action, listId: 2 } });
  assert.deepEqual(
    [summary(list('add')), summary(list('remove'))],
    ['add to list: Customers', 'remove from list: Customers'],
  );
  assert.equal(summary(list('add'), null), 'add to list 2');
  const member = (value: number) => ({ field: 'segmentId', operator: 'eq', value });
  const submitted = {
    event: 'FORM_SUBMITTED',
    operator: 'atLeast',
    where: [{ field: 'formId', operator: 'eq', value: 4 }],
  };
  const condition = (filter: object, ...more: object[]) => ({
    type: 'CONDITION',
    config: { if: filter, branches: more.map((branch) => ({ if: branch })) },
  });
  assert.equal(summary(condition(always)), 'condition');
  assert.equal(summary(condition(member(3))), 'condition: VIP');
  assert.equal(summary(condition(member(3)), null), 'condition');
  assert.equal(
    summary(condition({ op: 'or', conditions: [member(3), member(2)] }, submitted, member(3))),
    'condition with 3 branches: VIP, Customers, Contact us',
  );
});

test('a summary is one line of at most 100 characters', () => {
  assert.equal(shortSummary('email: a\n\tb\u0000c\u202ed\u2028e  f '), 'email: a b c d e f');
  const cut = shortSummary(`email: ${'😀'.repeat(300)}`);
  assert.equal([...cut].length, 100);
  assert.ok(cut.endsWith('😀…') && cut.isWellFormed());
  assert.equal(shortSummary('x'.repeat(100)), 'x'.repeat(100));
});

test('the summary of a workflow in the Temporal UI has names as they were typed', () => {
  const input = { tenantId: 'default', campaignId: 5, campaignVersion: 2 };
  const { staticSummary } = shownOf('campaignOccurrence', { ...input, campaignName: '<img src=x> [a](b) *c*' });
  assert.equal(staticSummary, '\\<img src=x\\> \\[a\\]\\(b\\) \\*c\\* v2');
  const longest = shownOf('campaignOccurrence', { ...input, campaignName: '😀'.repeat(300) }).staticSummary!;
  assert.ok(Buffer.byteLength(longest) <= 400);
  const escaped = shownOf('campaignOccurrence', { ...input, campaignName: '*'.repeat(300) }).staticSummary!;
  assert.ok(Buffer.byteLength(escaped) <= 400);
});

test('the Temporal UI shows a name as it was typed', () => {
  assert.equal(
    escapeMarkdown('email: **Now** [win](https://x.example) <b> `a` #1_2'),
    'email\\: \\*\\*Now\\*\\* \\[win\\]\\(https\\://x\\.example\\) \\<b\\> \\`a\\` \\#1\\_2',
  );
});
