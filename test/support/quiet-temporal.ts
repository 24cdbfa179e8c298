import { Runtime } from '@temporalio/worker';

let isInstalled = false;

/** Makes Temporal's workers in this process say nothing, and leaves signals to the tests. May be called again. */
export function quietTemporal(): void {
  if (isInstalled) return;
  Runtime.install({
    shutdownSignals: [],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  isInstalled = true;
}
