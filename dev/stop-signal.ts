/**
 * Signals within this time are one request: a terminal signals all processes, and each parent forwards the signal as
 * well.
 */
const SAME_REQUEST_MS = 500;

/**
 * Calls `stop` once on SIGINT, SIGTERM, SIGHUP, or when the process that started us with `npm` is gone; calls `kill` on
 * a second Ctrl-C or a later signal.
 */
export function onStopRequest(stop: (reason: string) => void, kill: () => void): void {
  let asked = 0;
  const request = (reason: string) => {
    const now = Date.now();
    if (asked === 0) {
      asked = now;
      stop(reason);
    } else if (now - asked > SAME_REQUEST_MS) kill();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => request(name));
  // The pid of dev/bootstrap.mjs; if that was killed, nobody could stop us any more.
  const parent = Number(process.env.PERENNIAL_PARENT_PID ?? 0);
  // Our children have another parent.
  delete process.env.PERENNIAL_PARENT_PID;
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    if (asked === 0) request('the terminal is gone');
  }, 1_000);
  timer.unref();
}
