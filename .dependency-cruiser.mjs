/** The arrows of docs/ARCHITECTURE.md. */

import list from './dev/areas.json' with { type: 'json' };

/** From the floor up: an area imports only areas above it in this list, also types. */
const AREAS = list.map(([folder]) =>
  // The processes of db/ are what is started; nothing imports them.
  folder === 'db/' ? 'db/(?!migrate|create-migration)' : folder,
);

const upward = AREAS.slice(0, -1).map((area, index) => ({
  name: `upward-from-${area}`,
  severity: 'error',
  from: { path: `^${area}` },
  to: { path: `^(${AREAS.slice(index + 1).join('|')})` },
}));

const FOLDERS = 'lib|config|registry|db|events|domain|transport|runtime|activities|workflows|api|worker';

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-cycles-of-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(lib|domain|transport|api|worker)(/|$)' },
      to: { circular: true },
    },
    ...upward,
    // What users wrote is parsed and rendered in threads, so nothing else may use what does that. The exception are the
    // emails and messages that a sender may render itself (LoopPermit).
    {
      name: 'liquid-only-in-rendering',
      severity: 'error',
      from: {
        path: `^(${FOLDERS})/`,
        pathNot:
          '^domain/emails/rendering/|^domain/emails/templates/(check-liquid|check-template|compile-mjml|mask|template-warnings)\\.|^domain/channels/content/render-message\\.',
      },
      to: {
        path: 'node_modules/(liquidjs|mjml-browser)/|^domain/emails/rendering/(template-engine|template-pieces|mail-tags|text-part)\\.',
      },
    },
    {
      name: 'users-texts-only-in-threads',
      severity: 'error',
      from: {
        path: `^(${FOLDERS})/`,
        pathNot:
          '^domain/thread-jobs/|^domain/emails/(rendering|templates/(check-template|template-warnings|compile-mjml))|^domain/emails/message/|^domain/channels/content/(render-message|assert-fits|in-thread)\\.|^worker/senders/prepare\\.|^worker/channels/renders\\.',
      },
      to: {
        path: '^domain/emails/rendering/(render|render-texts|is-plain|judge-template|show-email|instrument|rewrite-html|template-links)\\.|^domain/emails/templates/(check-template|template-warnings|check-liquid|compile-mjml)\\.|^domain/emails/message/write-email\\.|^domain/channels/content/(render-message|assert-fits)\\.',
        dependencyTypesNot: ['type-only'],
      },
    },
    // A new area needs its place in the list.
    {
      name: 'every-area-has-its-place',
      severity: 'error',
      from: { path: `^(${FOLDERS})/`, pathNot: [...AREAS, 'db/'].map((area) => `^${area}`) },
      to: {},
    },
    {
      name: 'nothing-imports-api',
      severity: 'error',
      from: { pathNot: '^(api|test|bench|clients)/' },
      to: { path: '^api/' },
    },
    {
      name: 'nothing-imports-clients',
      severity: 'error',
      from: { pathNot: '^(clients|test)/' },
      to: { path: '^clients/' },
    },
    {
      name: 'the-client-stands-alone',
      severity: 'error',
      from: { path: '^clients/typescript/' },
      to: { pathNot: '^clients/typescript/' },
    },
    {
      name: 'domain-knows-no-transport',
      severity: 'error',
      from: { path: '^domain/' },
      to: { path: 'node_modules/(koa|@koa|nats|@temporalio)' },
    },
    {
      name: 'browsers-get-only-what-is-for-them',
      severity: 'error',
      from: { path: '^(api/forms/(browser|shared)|domain/forms/checks)/' },
      to: {
        pathNot:
          '^(api/forms/(browser|shared)/|domain/forms/checks/|lib/text/languages\\.|node_modules/@noble/hashes/)',
      },
    },
    {
      name: 'the-visit-script-stands-alone',
      severity: 'error',
      from: { path: '^api/scoring/browser/' },
      to: { pathNot: '^api/scoring/browser/' },
    },
    {
      name: 'the-push-scripts-stand-alone',
      severity: 'error',
      from: { path: '^api/channels/browser/' },
      to: { pathNot: '^api/channels/browser/' },
    },
    // Only the types of activities, and what is pure, may go into the sandbox of workflows.
    {
      name: 'workflows-are-pure',
      severity: 'error',
      from: { path: '^(workflows|registry)/' },
      to: {
        pathNot: '^(workflows/|registry/|node_modules/@temporalio/(workflow|common))',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'npm-start-needs-no-dev-dependency',
      severity: 'error',
      // What is for browsers is built beforehand.
      from: { path: `^(${FOLDERS})/|^dev/(?!faults/|stack/test-)`, pathNot: '^api/(forms|scoring|channels)/browser/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-dev',
      severity: 'error',
      from: { pathNot: '^(dev|test|bench)/' },
      to: { path: '^(dev|test|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Built from the folders `browser` beside them.
    exclude: { path: '^api/(forms|scoring|channels)/bundles/' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'] },
  },
};
