import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { changeKindsOf } from '../../../domain/membership/filter/change-kinds.ts';
import { compileFilter } from '../../../domain/membership/compile/compile.ts';
import type { Filter } from '../../../domain/membership/filter/filter.ts';

const db = new Kysely<object>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const now = new Date('2030-06-15T12:00:00.000Z');
const compiled = (filter: Filter, options: Parameters<typeof compileFilter>[2] = {}) =>
  compileFilter(filter, 'c', { now, ...options }).compile(db);
const words = (sql: string): string => sql.replaceAll(/\s+/g, ' ');

test('values reach the database as parameters, never as text of the statement', () => {
  const evil = `x'; drop table contacts; --`;
  const filters: Filter[] = [
    ...['eq', 'ne', 'contains', 'startsWith', 'endsWith'].map(
      (operator) => ({ field: 'jobTitle', operator, value: evil }) as Filter,
    ),
    ...['in', 'notIn'].map((operator) => ({ field: 'email', operator, value: [evil, 'a@example.com'] }) as Filter),
    { field: 'tags', operator: 'contains', value: evil },
    { field: 'tags', operator: 'in', value: [evil] },
    { field: `customFields.${evil}`, operator: 'eq', value: evil },
    {
      event: 'EMAIL_CLICKED',
      operator: 'atLeast',
      count: 2,
      where: [
        { field: 'url', operator: 'contains', value: evil },
        { field: 'stepId', operator: 'eq', value: evil },
      ],
    },
  ];
  const customFields = new Map([[evil, { type: 'string' }]] as const);
  for (const filter of filters) {
    const { sql, parameters } = compiled(filter, { customFields, execution: { id: 1, startedAt: now } });
    assert.ok(!sql.includes('drop table'), sql);
    assert.ok(JSON.stringify(parameters).includes('drop table'));
  }
});

test('bare columns are compared so that their indexes serve', () => {
  assert.deepEqual(
    words(compiled({ field: 'companyId', operator: 'eq', value: 7 }).sql),
    '("c"."company_id" is not null and "c"."company_id" = $1::bigint)',
  );
  const { sql, parameters } = compiled({ field: 'email', operator: 'in', value: ['Ada@EXAMPLE.com', 'no address'] });
  assert.equal(sql, '("c"."email_key" is not null and "c"."email_key" = any($1::text[]))');
  assert.deepEqual(parameters, [['ada@example.com', 'no address']]);
});

test('what LIKE takes for special stands for itself', () => {
  assert.deepEqual(compiled({ field: 'jobTitle', operator: 'contains', value: '50%_\\' }).parameters, [
    '%50\\%\\_\\\\%',
  ]);
});

test('counting stops at what is asked for; whole days are bounds of their instants', () => {
  assert.match(
    words(compiled({ event: 'EMAIL_OPENED', operator: 'atLeast', count: 3 }).sql),
    /count\(\*\).*limit \$\d+::int\) counted\) >= /,
  );
  assert.match(compiled({ event: 'EMAIL_OPENED', operator: 'atMost', count: 0 }).sql, /^not exists/);
  assert.deepEqual(compiled({ field: 'createdAt', operator: 'gt', value: '2030-01-31' }).parameters, [
    new Date('2030-02-01T00:00:00.000Z'),
  ]);
});

test('everything is tied to the tenant of the contact', () => {
  const filter: Filter = {
    op: 'or',
    conditions: [
      { field: 'company.name', operator: 'exists' },
      { field: 'score', operator: 'gt', value: 1 },
      { field: 'qualification', operator: 'eq', value: 'hot' },
      { field: 'listId', operator: 'exists' },
      { field: 'segmentId', operator: 'eq', value: 3 },
      { event: 'FORM_SUBMITTED', operator: 'none' },
    ],
  };
  const { sql } = compiled(filter);
  const tables = sql.match(/\bfrom (companies|score_totals|scoring_settings|segment_members|segments) |\) happened /g)!;
  assert.equal(tables.length, sql.match(/tenant_id"? = (?:"c"|m)\.?"?tenant_id/g)!.length, sql);
});

test('a filter hangs on what it asks for', () => {
  const filter: Filter = {
    op: 'not',
    conditions: [
      { field: 'company.name', operator: 'exists' },
      { field: 'qualification', operator: 'eq', value: 'hot' },
      {
        op: 'and',
        conditions: [
          { field: 'listId', operator: 'in', value: [3, 4] },
          { event: 'FORM_SUBMITTED', operator: 'none' },
        ],
      },
    ],
  };
  assert.deepEqual([...changeKindsOf(filter)].sort(), [
    'company',
    'event:FORM_SUBMITTED',
    'levels',
    'member:3',
    'member:4',
    'score',
  ]);
  assert.deepEqual([...changeKindsOf({ field: 'customFields.x', operator: 'exists' })], ['contact']);
  assert.deepEqual([...changeKindsOf({ field: 'listId', operator: 'notExists' })], ['lists']);
});
