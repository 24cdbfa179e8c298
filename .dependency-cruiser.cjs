/** The arrows of docs/ARCHITECTURE.md: imports go one way. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'nothing-imports-api', severity: 'error', from: { pathNot: '^(api|test|bench|clients)/' }, to: { path: '^api/' } },
    { name: 'nothing-imports-clients', severity: 'error', from: { pathNot: '^(clients|test)/' }, to: { path: '^clients/' } },
    { name: 'the-client-stands-alone', severity: 'error', from: { path: '^clients/typescript/' }, to: { pathNot: '^clients/typescript/' } },
    { name: 'domain-knows-no-edges', severity: 'error', from: { path: '^domain/' }, to: { path: '^((api|activities|workflows|worker)/|events/(relay|consume|streams|nats|handlers)|config/(deps|temporal))' , dependencyTypesNot: ['type-only'] } },
    { name: 'domain-knows-no-transport', severity: 'error', from: { path: '^domain/' }, to: { path: 'node_modules/(koa|@koa|nats|@temporalio)' } },
    { name: 'db-knows-no-domain', severity: 'error', from: { path: '^db/' }, to: { path: '^(?!db/|node_modules/|config/(env|start-problems)|domain/errors)[a-z]+/' } },
    { name: 'workflows-are-pure', severity: 'error', from: { path: '^workflows/' }, to: { pathNot: '^(workflows/|node_modules/@temporalio/(workflow|common))', dependencyTypesNot: ['type-only'] } },
    { name: 'npm-start-needs-no-dev-dependency', severity: 'error', from: { path: '^(api|domain|workflows|activities|events|worker|db|config)/|^dev/(?!faults/|test-)' }, to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] } },
    { name: 'nothing-imports-dev', severity: 'error', from: { pathNot: '^(dev|test|bench)/' }, to: { path: '^(dev|test|bench)/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'] },
  },
};
