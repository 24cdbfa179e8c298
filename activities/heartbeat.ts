import { Context } from '@temporalio/activity';

/** The details of the last heartbeat of each attempt. */
const told = new WeakMap<Context, unknown>();

/** Sends a heartbeat with the last details, at first those of the attempt before. */
export function beat(context: Context): void {
  context.heartbeat(told.has(context) ? told.get(context) : context.info.heartbeatDetails);
}

/** Sends a heartbeat with the progress `details`. Throws if another attempt has begun or the workflow has ended. */
export function tell(details?: unknown): void {
  const context = Context.current();
  told.set(context, details);
  beat(context);
  context.cancellationSignal.throwIfAborted();
}
