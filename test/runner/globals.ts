/** What a test imports as `@jest/globals`. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { expect } from 'expect';
