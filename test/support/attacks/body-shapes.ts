import fc from 'fast-check';

/** The maximum number of distinct items that the API accepts of anything; the rest repeats them. */
const MAX_DISTINCT = 120_000;

/** A text of about `bytes` bytes: `unit` of increasing numbers, repeated. */
function repeated(bytes: number, separator: string, unit: (n: number) => string): string {
  const parts: string[] = [];
  let size = 0;
  for (let n = 0; size < bytes && n < MAX_DISTINCT; n += 1) {
    const part = unit(n);
    parts.push(part);
    size += part.length + separator.length;
  }
  const block = parts.join(separator);
  return [block, ...Array<string>(Math.floor(bytes / size)).fill(block)]
    .slice(0, Math.max(1, Math.ceil(bytes / size)))
    .join(separator);
}

type Shape = (bytes: number) => string;
const list =
  (unit: (n: number) => string): Shape =>
  (bytes) =>
    `[${repeated(bytes - 2, ',', unit)}]`;
const object =
  (unit: (n: number) => string): Shape =>
  (bytes) =>
    `{${repeated(bytes - 2, ',', unit)}}`;
const text =
  (unit: string): Shape =>
  (bytes) =>
    `"${unit.repeat(Math.max(1, Math.floor((bytes - 2) / Buffer.byteLength(unit))))}"`;
const nested =
  (open: string, close: string): Shape =>
  (bytes) => {
    const depth = Math.floor(bytes / (open.length + close.length));
    return open.repeat(depth) + close.repeat(depth);
  };

/** JSON values that may cost more than their size suggests. */
export const jsonShapes: Record<string, Shape> = {
  'empty objects': list(() => '{}'),
  'empty lists': list(() => '[]'),
  ones: list(() => '1'),
  nulls: list(() => 'null'),
  texts: list(() => '"a"'),
  'distinct texts': list((n) => `"a${n}"`),
  'distinct names': object((n) => `"a${n}":1`),
  'one name': object(() => '"a":1'),
  'numbers as names': object((n) => `"${n}":1`),
  'far numbers as names': object((n) => `"${n * 7919}":1`),
  'objects of distinct names': list((n) => `{"a${n}":{}}`),
  __proto__: object(() => '"__proto__":{"a":1}'),
  'lists of __proto__': list(() => '{"__proto__":1}'),
  constructors: object((n) => `"constructor${n % 3}":{"prototype":1}`),
  'a long text': text('x'),
  'a long text of escapes': text('\\u0041'),
  surrogates: text('\\ud800'),
  NULs: text('\\u0000'),
  emoji: text('😀'),
  combining: text('á'),
  slashes: text('~/'),
  quotes: text('\\"'),
  spaces: text(' '),
  dots: text('a.'),
  ats: text('a@'),
  dashes: text('-'),
  liquid: text('{{a}}'),
  'liquid blocks': text('{% if a %}'),
  tags: text('<a>'),
  entities: text('&amp;'),
  mjml: (bytes) => text('<mj-text>')(bytes).replace('"', '"<mjml>'),
  'texts with NUL': list(() => '"\\u0000"'),
  'names with NUL': object((n) => `"\\u0000${n}":1`),
  'a long name': (bytes) => `{"${'n'.repeat(bytes / 2)}":[${repeated(bytes / 2, ',', () => '"\\u0000"')}]}`,
  'a long number': (bytes) => '1'.repeat(bytes),
  'a long fraction': (bytes) => `0.${'1'.repeat(bytes - 2)}`,
  exponents: list(() => '1e400'),
  'small numbers': list(() => '1.2345678901234567e-300'),
  'deep lists': nested('[', ']'),
  'deep objects': nested('{"a":', '}'),
  'deep groups': nested('{"op":"and","conditions":[', ']}'),
  'wide groups': (bytes) =>
    `{"op":"or","conditions":[${repeated(bytes - 30, ',', () => '{"op":"and","conditions":[]}')}]}`,
  leaves: (bytes) =>
    `{"op":"or","conditions":[${repeated(bytes - 30, ',', () => '{"field":"email","operator":"contains","value":"a"}')}]}`,
  'white space': (bytes) => ' '.repeat(bytes),
  commas: (bytes) => ','.repeat(bytes),
  'open lists': (bytes) => '['.repeat(bytes),
  'quotation marks': (bytes) => '"'.repeat(bytes),
  backslashes: (bytes) => `"${'\\'.repeat(bytes)}`,
  rows: (bytes) =>
    `[${repeated(bytes - 2, ',', (n) => `{"firstName":"A","lastName":"B","email":"a${n}@example.com","phone":"+44 20 7946 ${String(n).padStart(4, '0')}","customFields":{"a${n}":1}}`)}]`,
  'wrong rows': (bytes) => `[${repeated(bytes - 2, ',', (n) => `{"u${n}":1,"v":2,"w":3,"x":4,"y":5}`)}]`,
  ids: list((n) => String(n + 1)),
};

/** Form bodies. */
export const formShapes: Record<string, Shape> = {
  'distinct names': (bytes) => repeated(bytes, '&', (n) => `a${n}=1`),
  'short names': (bytes) => repeated(bytes, '&', (n) => n.toString(36)),
  'one name': (bytes) => repeated(bytes, '&', () => 'topic=1'),
  'one letter': (bytes) => 'a&'.repeat(bytes / 2),
  ampersands: (bytes) => '&'.repeat(bytes),
  equals: (bytes) => '='.repeat(bytes),
  pluses: (bytes) => `a=${'+'.repeat(bytes - 2)}`,
  percents: (bytes) => `a=${'%'.repeat(bytes - 2)}`,
  escapes: (bytes) => `a=${'%41'.repeat(bytes / 3 - 2)}`,
  'wrong escapes': (bytes) => `a=${'%FF'.repeat(bytes / 3 - 2)}`,
  __proto__: (bytes) => repeated(bytes, '&', () => '__proto__=1'),
  'escaped names': (bytes) => repeated(bytes, '&', (n) => `%61${n}=%C3%A4`),
  'one text': (bytes) => `a=${'x'.repeat(bytes - 2)}`,
  brackets: (bytes) => repeated(bytes, '&', (n) => `a[${n}][b]=1`),
};

const part = (header: string, value = '1'): string => `--b\r\n${header}\r\n\r\n${value}\r\n`;
const named = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
const whole = (parts: string): string => `${parts}--b--\r\n`;

/** multipart/form-data bodies with the boundary `b`. */
export const multipartShapes: Record<string, Shape> = {
  'distinct names': (bytes) => whole(repeated(bytes - 100, '', (n) => part(named(`a${n}`)))),
  'one name': (bytes) => whole(repeated(bytes - 100, '', () => part(named('a')))),
  __proto__: (bytes) => whole(repeated(bytes - 100, '', () => part(named('__proto__')))),
  files: (bytes) => whole(repeated(bytes - 100, '', (n) => part(`${named(`f${n}`)}; filename="x"`))),
  'files named __proto__': (bytes) =>
    whole(repeated(bytes - 150, '', () => part(`${named('__proto__')}; filename="x"`))),
  'a long header': (bytes) => whole(part(`${named('a')}\r\nX: ${'y'.repeat(bytes - 200)}`)),
  'many headers': (bytes) =>
    whole(part(`${named('a')}\r\n${repeated(Math.min(bytes, 8_000) - 200, '\r\n', (n) => `X${n}: y`)}`)),
  'a long name': (bytes) => whole(part(named('n'.repeat(Math.min(bytes, 8_000) - 200)))),
  backslashes: (bytes) => whole(part(named('\\'.repeat(Math.min(bytes, 8_000) - 200)))),
  'nearly delimiters': (bytes) => whole(part(named('a'), '\r\n--'.repeat(bytes / 4 - 40))),
  dashes: (bytes) => '-'.repeat(bytes),
  'line breaks': (bytes) => '\r\n'.repeat(bytes / 2),
  delimiters: (bytes) => '\r\n--b'.repeat(bytes / 5),
  'a long text': (bytes) => whole(part(named('a'), 'x'.repeat(bytes - 200))),
  'file names': (bytes) => whole(part(`${named('a')}; ${'filename="'.repeat(bytes / 10 - 20)}x`)),
  'separate file names': (bytes) => whole(part(`${named('a')}${'; filename="a'.repeat(bytes / 13 - 20)}x`)),
  'names in a header': (bytes) => whole(part(`Content-Disposition: form-data; ${'name="'.repeat(bytes / 6 - 30)}x`)),
  'no end': (bytes) => part(named('a'), 'x'.repeat(bytes - 200)),
  padding: (bytes) => `--b${' '.repeat(bytes - 3)}`,
};

const long = 'ab'.repeat(2 ** 16);
/** Templates that cost more than their length suggests. */
export const templateShapes: Record<string, string> = {
  'open blocks': '{% if a %}'.repeat(80_000),
  'blocks in blocks': '{% if a %}'.repeat(2_000) + '{% endif %}'.repeat(2_000),
  'a long loop': '{% for i in (1..400000) %}{% assign a = i | plus: 1 %}{% endfor %}',
  'sorted letters': `{% assign a = "${long}" | split: "" | sort_natural | uniq | sort %}`,
  comments: '<!--'.repeat(200_000),
  'whole comments': '<!-- a -->'.repeat(90_000),
  elements: '<a>'.repeat(300_000),
  outputs: '{{a}}'.repeat(190_000),
  filters: `{{ "a" ${'| append: "b" '.repeat(60_000)}}}`,
  conditions: `{% if ${'a == b or '.repeat(90_000)}a %}{% endif %}`,
  'nested elements': '<div>'.repeat(100_000),
  attributes: `<a ${'b=c '.repeat(200_000)}>`,
  'an open token': `{{${' a'.repeat(400_000)}`,
  entities: '&amp;'.repeat(190_000),
  links: '<a href="https://example.com/{{a}}">a</a>'.repeat(20_000),
  rows: '<table><tr><td>a'.repeat(60_000),
  replaced: `{{ "${long}" | replace: "a", "b" | replace: "b", "a" | upcase | url_encode | escape }}`,
  'names of masks': `<mjml>lqd${'q'.repeat(900_000)}`,
  'mjml tokens': `<mjml>${'{{x}}'.repeat(150_000)}`,
  'mjml comments': `<mjml>${'<!-- -->'.repeat(100_000)}`,
};

/** A size up to a limit, mostly the limit itself. */
const sizes = (limit: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(limit) },
    { weight: 1, arbitrary: fc.constant(limit + 1) },
    { weight: 1, arbitrary: fc.integer({ min: Math.min(1000, limit), max: limit }) },
  );

export interface Body {
  what: string;
  text: string;
}

const shapesOf = (shapes: Record<string, Shape>, limit: number) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(shapes)), sizes(limit))
    .map(([name, size]) => ({ name, size, shape: shapes[name]! }));

/** JSON up to a limit: a shape as the whole body or in one of these fields, with valid values in the other fields. */
export const jsonBodies = (
  limit: number,
  fields: readonly string[],
  valid: Record<string, unknown>,
): fc.Arbitrary<Body> =>
  fc
    .tuple(shapesOf(jsonShapes, limit), fc.option(fc.constantFrom('surprise', ...fields), { freq: 6 }))
    .map(([{ name, size, shape }, field]) => {
      if (field === null) return { what: `${name} of ${size}`, text: shape(size).slice(0, size) };
      const others = Object.entries(valid)
        .filter(([other]) => other !== field)
        .map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)},`)
        .join('');
      const around = `{${others}"${field}":`;
      return {
        what: `${name} of ${size} in ${field}`,
        text: `${around}${shape(Math.max(10, size - around.length - 20))}}`,
      };
    });

export const formBodies = (limit: number, before = ''): fc.Arbitrary<Body> =>
  shapesOf(formShapes, limit - before.length).map(({ name, size, shape }) => ({
    what: `${name} of ${size}`,
    text: before + shape(size),
  }));

export const multipartBodies = (limit: number): fc.Arbitrary<Body> =>
  shapesOf(multipartShapes, limit).map(({ name, size, shape }) => ({ what: `${name} of ${size}`, text: shape(size) }));
