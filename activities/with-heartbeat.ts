import { Context, heartbeat } from '@temporalio/activity';

const HEARTBEAT_MS = 4_000;

/** Runs `work` and sends a heartbeat every `HEARTBEAT_MS`, also while a long part of it reports no progress. */
export async function withHeartbeat<T>(work: (tell: (details: unknown) => void) => Promise<T>): Promise<T> {
  let last: unknown;
  const timer = setInterval(() => {
    heartbeat(last);
  }, HEARTBEAT_MS);
  try {
    return await work((details) => {
      last = details;
      heartbeat(details);
      Context.current().cancellationSignal.throwIfAborted();
    });
  } finally {
    clearInterval(timer);
  }
}
