/** The module that tests import as `fast-check`: with the seed of all tests. */
import fc from 'fast-check';
import { SEED } from '../support/seed.ts';

fc.configureGlobal({ seed: SEED });

export * from 'fast-check';
export { default } from 'fast-check';
