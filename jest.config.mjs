/** How Jest runs the tests: see docs/decisions/0001-tests-run-by-jest.md. */
import { spawnSync } from 'node:child_process';
import { findNode } from './dev/binaries.mjs';

// `npx jest` takes the Node of the machine. The tests need the one that the service runs on.
const node = await findNode({ log: console.error });
if (node !== process.execPath) process.exit(spawnSync(node, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1);

const common = {
  rootDir: import.meta.dirname,
  runner: './test/runner/index.ts',
  // The runner's processes load TypeScript themselves, as the service does.
  transform: {},
  // How long each file took, by which the longest begin first. Projects do not take this from below.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
};

/** @type {import('jest').Config} */
export default {
  // Those that wait leave a core idle.
  maxWorkers: 3,
  testTimeout: 600_000,
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    {
      ...common,
      displayName: 'stack',
      testMatch: [
        ...['api', 'e2e', 'replay', 'transport', 'workflows'].map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
        ...(process.env.RECORD_HISTORIES ? ['<rootDir>/test/replay/record.ts'] : []),
      ],
      globalSetup: './test/runner/stack.ts',
      globalTeardown: './test/runner/stop-stack.ts',
    },
  ],
};
