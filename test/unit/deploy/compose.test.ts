import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import { Ajv } from 'ajv';
import { secretSettings } from '../../../config/env.ts';
import { DYNAMIC_CONFIG } from '../../../dev/stack/temporal.ts';
import { localAccounts } from '../../../dev/stack/nats.ts';
import { natsConfig } from '../../../dev/stack/nats-config.ts';
import { serverSettings } from '../../../dev/stack/postgres.ts';
import { parse } from 'yaml';
import { readCompose, readComposeFile, type ComposeService } from '../../support/compose.ts';
import { envSettings } from '../../../config/env-schema.ts';

const compose = readCompose();
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

/** The name of a job, which ends, from one of a service. */
const isJob = ({ restart }: ComposeService): boolean => restart === 'no';

test('docker-compose.yml is what the Compose specification describes', () => {
  const file = new URL('schemas/compose.schema.json', import.meta.resolve('dclint/package.json'));
  const { $schema: _draft7, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  assert.ok(validate(readComposeFile()), JSON.stringify(validate.errors, null, 1));
  assert.ok(!validate({ services: { api: { image: 'x', read_onyl: true } } }));
});

test('what a container names is there: services, secrets, volumes, networks, files', () => {
  const declared = { secrets: new Set<string>(), volumes: new Set<string>(), networks: new Set<string>() };
  for (const [name, service] of services) {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const needed = compose.services[other];
      assert.ok(needed, `${name} depends on ${other}`);
      assert.equal(
        condition,
        isJob(needed) ? 'service_completed_successfully' : 'service_healthy',
        `${name} on ${other}`,
      );
    }
    for (const secret of service.secrets ?? []) declared.secrets.add(secret);
    for (const network of service.networks) declared.networks.add(network);
    for (const mount of service.volumes ?? []) {
      const [source = '', , mode] = mount.split(':');
      if (!source.startsWith('./')) declared.volumes.add(source);
      else assert.deepEqual([existsSync(source), mode], [true, 'ro'], mount);
    }
    for (const value of Object.values(service.environment ?? {})) {
      const [, secret] = /^\/run\/secrets\/(.+)$/.exec(value) ?? [];
      if (secret) assert.ok(service.secrets?.includes(secret), `${name} reads ${value}`);
    }
    for (const [, secret = ''] of (service.command ?? []).join().matchAll(/\/run\/secrets\/(\w+)/g))
      assert.ok(service.secrets?.includes(secret), `${name}: ${secret}`);
  }
  for (const kind of ['secrets', 'volumes', 'networks'] as const)
    assert.deepEqual([...declared[kind]].sort(), Object.keys(compose[kind]).sort(), kind);
});

test('every container has an exact version, may do little, is looked after, and listens on this machine only', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const [name, service] of services) {
    const file = service as unknown as Record<string, unknown>;
    assert.match(service.image, /^[\w/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/, name);
    assert.deepEqual(
      [file['read_only'], file['cap_drop'], file['security_opt']],
      [true, ['ALL'], ['no-new-privileges:true']],
      name,
    );
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/, name);
    if (isJob(service)) continue;
    assert.equal(service.restart, 'unless-stopped', name);
    // That of the API is the image's.
    assert.equal(service.healthcheck?.test?.[0], name === 'api' ? undefined : 'CMD', name);
  }
  assert.deepEqual([...new Set(ours.map(([, { build, image }]) => `${build} ${image}`))], [`. perennial:${version}`]);
});

test('our containers get settings that there are, all that they need, and no secret by the environment', () => {
  const known = new Set([...Object.keys(envSettings), ...secretSettings.map((name) => `${name}_FILE`)]);
  const required = Object.entries(envSettings)
    .filter(([, setting]) => !('default' in setting))
    .map(([name]) => name);
  for (const [name, { environment = {}, secrets = [], env_file }] of ours) {
    for (const [setting, value] of Object.entries(environment)) {
      assert.ok(known.has(setting), `${name}: ${setting}`);
      assert.equal(typeof value, 'string', `${name}: ${setting}`);
      if (setting.endsWith('_FILE')) assert.equal(value, `/run/secrets/${setting.slice(0, -'_FILE'.length)}`, name);
    }
    assert.deepEqual(
      secrets.map((secret) => `${secret}_FILE`).filter((setting) => !(setting in environment)),
      [],
      name,
    );
    assert.deepEqual(env_file, [{ path: '.env', required: false }], name);
    const needed = name === 'migrate' ? ['DATABASE_URL', 'DATABASE_MIGRATION_URL'] : required;
    for (const setting of needed)
      assert.ok(setting in environment || `${setting}_FILE` in environment, `${name} lacks ${setting}`);
  }
});

test('.env reaches every setting that is not of the container itself, or a secret in a file', () => {
  const fixed = ['HOST', 'PORT', 'UPLOAD_DIR', 'WORKER_HEALTH_PORT', 'WORKER_HEALTH_HOST'];
  for (const [name, { environment = {} }] of Object.entries(readComposeFile().services))
    for (const [setting, value] of Object.entries(environment))
      if (setting in envSettings && !fixed.includes(setting) && compose.services[name]?.build)
        assert.match(value, new RegExp(`^\\$\\{${setting}:?-`), `${name}: ${setting}`);
});

test('the metrics and the health of a worker can be reached, and are guarded', () => {
  const workers = ours.filter(([name]) => name.startsWith('worker-'));
  assert.equal(workers.length, 4);
  for (const [name, { environment = {}, healthcheck, networks }] of workers) {
    assert.deepEqual([environment['WORKER_HEALTH_HOST'], networks.includes('outside')], ['0.0.0.0', true], name);
    assert.ok(environment['METRICS_TOKEN_FILE'], name);
    assert.match(healthcheck!.test!.join(' '), /:9464\/health'/, name);
  }
  const { scrape_configs: configs } = parse(readFileSync('deploy/prometheus.yml', 'utf8')) as {
    scrape_configs: { dns_sd_configs: { names: string[] }[] }[];
  };
  const scraped = configs.flatMap(({ dns_sd_configs: found }) => found.flatMap(({ names }) => names));
  assert.deepEqual(scraped.sort(), ['api', ...workers.map(([name]) => name)].sort());
});

test('two reports at once fit into the memory of the worker that makes them', () => {
  const { memory } = compose.services['worker-temporal']!.deploy!.resources!.limits!;
  const [, most] = /memoryMb: (\d+)/.exec(readFileSync('domain/reports/render/report-thread.ts', 'utf8'))!;
  const [, atOnce] = /QUEUES\.reports,[^}]*maxConcurrentActivityTaskExecutions: (\d+)/.exec(
    readFileSync('worker/temporal.ts', 'utf8'),
  )!;
  // And what the process takes besides.
  assert.ok(Number.parseInt(memory!, 10) * 1024 >= Number(atOnce) * Number(most) + 700, memory);
});

test('each role of the worker runs, and the API twice behind one address', () => {
  const roles = ours.flatMap(([, { command = [] }]) => (command.includes('--only') ? command.at(-1)!.split(',') : []));
  assert.deepEqual(roles.sort(), ['consumers', 'intake', 'relay', 'senders', 'temporal', 'webhooks']);
  const { api, proxy } = compose.services;
  assert.equal(api?.deploy?.replicas, 2);
  assert.equal(api?.ports, undefined);
  assert.deepEqual(proxy?.ports, ['127.0.0.1:8080:8080']);
  assert.match(readFileSync('deploy/Caddyfile', 'utf8'), /^:8080 \{$[^]+name api$[^]+port 8080$/m);
});

test('a container has the time to drain that its process takes', () => {
  for (const [name, { command = [], stop_grace_period: period = '10s' }] of ours) {
    const script = command.find((word) => word.endsWith('.ts')) ?? '';
    if (name === 'migrate') continue;
    const delay = Number(/drainOnStop\([\w.]+, (\d+)_000/.exec(readFileSync(script, 'utf8'))?.[1]);
    assert.ok(Number.parseInt(period, 10) > delay, `${name}: ${period}, ${delay}`);
  }
});

/** Without what means nothing in the file. */
const words = (text: string): string => text.replace(/[\s,]+/g, ' ').replace(/ (?=[\]}])|(?<=[[{]) /g, '');

test('NATS is set as by npm start', () => {
  const secrets = {
    JWT_SECRET: '',
    LINK_SECRET: '',
    NATS_PASSWORD: '$NATS_PASSWORD',
    NATS_LISTENER_PASSWORD: '$NATS_LISTENER_PASSWORD',
  };
  const expected = natsConfig({ port: 4222, storeDir: '/data', accounts: [localAccounts(secrets, true)] });
  const file = readFileSync('deploy/nats-server.conf', 'utf8').replace(/^(#.*|include .*|http: .*)\n/gm, '');
  assert.equal(
    words(file),
    words(expected.replace('host: 127.0.0.1', 'host: 0.0.0.0').replace(/"(\$NATS_\w+)"/g, '$1')),
  );
});

test('Temporal and Postgres are set as by npm start', () => {
  const limits = parse(readFileSync('deploy/temporal-dynamic-config.yaml', 'utf8')) as Record<
    string,
    { value: number }[]
  >;
  assert.deepEqual(
    limits,
    Object.fromEntries(Object.entries(DYNAMIC_CONFIG).map(([name, value]) => [name, [{ value }]])),
  );
  const {
    port: _port,
    listen_addresses: _addresses,
    unix_socket_directories: _sockets,
    ...settings
  } = serverSettings(5432, false);
  const given = compose.services['postgres']?.command?.slice(1) ?? [];
  assert.deepEqual(
    [...given].sort(),
    Object.entries(settings)
      .map(([name, value]) => `--${name}=${value}`)
      .sort(),
  );
});
