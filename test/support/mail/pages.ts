import assert from 'node:assert/strict';
import { parse, type DefaultTreeAdapterMap } from 'parse5';
import type { Answer } from '../service.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

const isElement = (node: Node): node is Element => 'tagName' in node;
const elementsOf = (node: Node): Element[] =>
  'childNodes' in node
    ? node.childNodes.flatMap((child) => [...(isElement(child) ? [child] : []), ...elementsOf(child)])
    : [];
const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((one) => one.name === name)?.value;

export interface ShownField {
  name: string;
  type: string;
  value: string;
  checked: boolean;
  /** The text of its label. */
  label: string;
}

export interface Shown {
  language: string;
  title: string;
  heading: string;
  /** All visible text. */
  text: string;
  /** The fields of each form of the page. */
  forms: ShownField[][];
}

const textOf = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';

/**
 * Parses a page, and asserts what every page must have: one heading, a language, a name for every field, unique ids,
 * valid references, no script, and nothing that a visitor's browser would fetch.
 */
export function readPage(answer: Answer): Shown {
  const html = answer.body as string;
  assert.match(answer.headers.get('content-type')!, /^text\/html; charset=utf-8$/);
  assert.match(html, /^<!doctype html>/);
  const all = elementsOf(parse(html));
  const named = (name: string) => all.filter(({ tagName }) => tagName === name);
  const language = attribute(named('html')[0]!, 'lang') ?? '';
  assert.match(language, /^[a-z]{2}$/);
  assert.equal(answer.headers.get('content-language'), language);
  assert.match(answer.headers.get('vary') ?? '', /Accept-Language/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.match(
    answer.headers.get('content-security-policy')!,
    /^default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'/,
  );
  assert.equal(named('h1').length, 1, 'one h1');
  assert.equal(named('main').length, 1);
  assert.deepEqual(
    named('link').map((link) => [attribute(link, 'rel'), attribute(link, 'href')]),
    [['icon', '/favicon.svg']],
  );
  for (const name of ['script', 'iframe', 'img', 'object']) assert.equal(named(name).length, 0, name);
  for (const element of all)
    for (const { name, value } of element.attrs)
      assert.ok(!name.startsWith('on') && !/^\s*javascript:/i.test(value), `${name}=${value}`);
  const ids = all.flatMap((element) => attribute(element, 'id') ?? []);
  assert.equal(new Set(ids).size, ids.length, 'ids are there once');
  for (const element of all)
    for (const id of attribute(element, 'aria-describedby')?.split(' ') ?? []) assert.ok(ids.includes(id), `#${id}`);
  for (const fieldset of named('fieldset')) assert.equal(elementsOf(fieldset)[0]?.tagName, 'legend');
  for (const button of named('button'))
    assert.ok(textOf(button).trim() !== '' && attribute(button, 'type') === 'submit');

  const labels = new Map(named('label').map((label) => [attribute(label, 'for'), textOf(label).trim()]));
  const forms = named('form').map((form) => {
    assert.deepEqual(
      [attribute(form, 'method'), attribute(form, 'action')],
      ['post', undefined],
      'it posts to where it stands',
    );
    return elementsOf(form)
      .filter(({ tagName }) => tagName === 'input')
      .map((input): ShownField => {
        const type = attribute(input, 'type')!;
        const label = labels.get(attribute(input, 'id')) ?? '';
        if (type !== 'hidden') assert.ok(label !== '', `a label of ${attribute(input, 'name')}`);
        return {
          name: attribute(input, 'name')!,
          type,
          value: attribute(input, 'value') ?? '',
          checked: attribute(input, 'checked') !== undefined,
          label,
        };
      });
  });
  return {
    language,
    title: textOf(named('title')[0]!),
    heading: textOf(named('h1')[0]!),
    text: textOf(named('main')[0]!).replace(/\s+/g, ' ').trim(),
    forms,
  };
}
