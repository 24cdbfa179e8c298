import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { isPlain } from '../../../../domain/emails/rendering/is-plain.ts';
import { LoopPermit, RULES } from '../../../../domain/emails/rendering/loop-permit.ts';

test.each([
  'Hello',
  'Hello {{ firstName | default: "there" | capitalize }}, {{ company.name }}',
  '{% if firstName and status == "active" %}a{% elsif tags.size > 2 %}b{% else %}c{% endif %}',
  '{% case locale %}{% when "de", "at" %}Hallo{% else %}Hello{% endcase %}',
  '{% assign name = firstName | default: lastName | append: "!" %}{{ name | escape }}',
  '{% comment %}{% for a in b %}{% endfor %}{% endcomment %}{% raw %}{% for %}{% endraw %}',
  '{{ "now" | date: "%Y-%m-%d" }} {{ formUrl: 12 }} {{- 3 | times: 2 -}}',
  '{% unless data.paid %}{{ data.total | round: 2 }}{% endunless %}',
])('plain: %s', (source) => assert.equal(isPlain(source), true));

test.each([
  '{% for tag in tags %}{{ tag }}{% endfor %}',
  '{% tablerow tag in tags %}{{ tag }}{% endtablerow %}',
  '{% cycle "a", "b" %}',
  '{% capture a %}{{ a }}{{ a }}{% endcapture %}',
  '{% liquid for i in (1..9) %}',
  '{% assign a = a | append: a %}',
  '{{ firstName | replace: "a", "aaaa" }}',
  '{{ firstName | split: "" | sort }}',
  '{{ (1..1000000) | size }}',
  '{% if (1..1000000) == a %}{% endif %}',
  '{% if data.text contains data.other %}{% endif %}',
  `{{ firstName ${'| upcase '.repeat(9)}}}`,
  `{% if ${Array.from({ length: 100 }, (_, n) => `a == ${n}`).join(' or ')} %}{% endif %}`,
])('not plain: %s', (source) => assert.equal(isPlain(source), false));

const judged = (isPlain: boolean, parseMs = 1) => {
  const permit = new LoopPermit();
  permit.judge({ isPlain, parseMs, rules: RULES });
  return permit;
};
const renders = (permit: LoopPermit, count: number, ms: number) => {
  for (let n = 0; n < count; n += 1) permit.tookInThread(ms);
};

test('a template is rendered on the loop if it is plain, or its last hundred renders were short', () => {
  assert.equal(new LoopPermit().limits(false), null);
  assert.equal(judged(true).limits(false)?.hardMs, null);
  assert.equal(typeof judged(true).limits(true)?.hardMs, 'number');
  assert.equal(judged(true, 1_000).limits(false), null);
  const permit = judged(false);
  renders(permit, 99, 0.2);
  assert.equal(permit.limits(false), null);
  renders(permit, 1, 0.2);
  assert.equal(typeof permit.limits(false)?.hardMs, 'number');
  const slow = judged(false);
  renders(slow, 500, 2);
  assert.equal(slow.limits(false), null);
});

test('one that takes too long there goes to the threads, until a hundred renders were short', () => {
  for (const isPlain of [true, false]) {
    const permit = judged(isPlain);
    renders(permit, 100, 0.2);
    permit.overran();
    assert.equal(permit.limits(false), null);
    renders(permit, 99, 0.2);
    assert.equal(permit.limits(false), null);
    renders(permit, 1, 0.2);
    assert.notEqual(permit.limits(false), null);
  }
});
