/** Loaded into each test file's process: ends it when its tests are over and something it forgot keeps it alive. */
import { afterEach, beforeEach } from 'node:test';

/** Longer than closing a whole service takes after the last test. */
const LEAK_MS = 120_000;
let timer: NodeJS.Timeout | undefined;

beforeEach(() => clearTimeout(timer));
afterEach(() => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const counts = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (type) => type)).map(([type, all]) => `${all!.length} × ${type}`);
    console.error(`The file's tests are over and it does not end; still open: ${counts.join(', ')}`);
    process.exit(1);
  }, LEAK_MS).unref();
});
