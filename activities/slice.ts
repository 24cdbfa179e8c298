/**
 * For how long an activity of a job goes on before its workflow starts the next. The jobs of all tenants share the
 * places of a worker, so those that wait for one get it soon.
 */
const SLICE_MS = 5_000;

/** Begins a slice. Returns whether it is over. */
export function sliceOf(ms = SLICE_MS): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}
