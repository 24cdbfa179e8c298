/** What support modules do in every test file: a module is loaded for the first of the files that share a process. */

const registrations: (() => void)[] = [];

/** Asked when a test file is over: what it left behind, or null. */
export const leftBehind: (() => string | null)[] = [];

/** Calls a function that registers hooks, now and when each further test file begins. */
export function inEachFile(register: () => void): void {
  registrations.push(register);
  register();
}

/** Registers the hooks of all support modules that are loaded, for a new test file. */
export function registerAgain(): void {
  for (const register of registrations) register();
}
