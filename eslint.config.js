import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    // What the client's package has, and the bundles, are written by programs.
    ignores: [
      'node_modules/',
      'dist/',
      '.data/',
      '.cache/',
      'db/migrations/.snapshot*',
      'clients/typescript/*.d.ts',
      'clients/typescript/*.js',
      'api/forms/bundles/',
      'api/scoring/bundles/',
      'api/channels/bundles/',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // An async function turns what it throws into a rejection, whether it awaits something or not.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/method-signature-style': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      // Kysely sees the tenant only on the em that em.transactional passes in, there named tx.
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name='getKysely'][callee.object.name!='tx']",
          message:
            'getKysely() outside em.transactional sees no rows: call it on the `tx` that em.transactional passes in.',
        },
        {
          selector: "MemberExpression[object.object.name='process'][object.property.name='env']",
          message: 'Only config/env.ts reads the environment.',
        },
      ],
    },
  },
  {
    files: ['api/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: ['kysely', 'pg'].map((name) => ({ name, message: 'SQL lives in domain/ and db/.' })),
          patterns: [
            {
              regex: '/db/orm\\.ts$',
              importNames: ['sql', 'rows', 'preparedHint', 'RawBuilder'],
              message: 'SQL lives in domain/ and db/.',
            },
          ],
        },
      ],
    },
  },
  { files: ['config/env.ts', 'dev/**', 'test/**', 'bench/**'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // What a test draws follows from SEED (test/support/seed.ts), so that it does the same each time.
    files: ['test/**'],
    ignores: ['test/explore.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          "CallExpression[callee.object.name='fc'][callee.property.name='assert'] > ObjectExpression > Property[key.name=/^(seed|path)$/]",
          "CallExpression[callee.name='seededRandom'] CallExpression[callee.object.name='Date']",
        ].map((selector) => ({ selector, message: 'Draw from SEED (test/support/seed.ts).' })),
      ],
    },
  },
  { files: ['dev/**', 'bench/**', 'test/**'], rules: { 'no-console': 'off' } },
  {
    // Answers of the API are `any` there: what they hold is for assertions to say, not for types that nothing checks.
    files: ['dev/**', 'bench/**', 'test/**'],
    rules: Object.fromEntries(
      ['argument', 'assignment', 'call', 'member-access', 'return'].map((what) => [
        `@typescript-eslint/no-unsafe-${what}`,
        'off',
      ]),
    ),
  },
);
