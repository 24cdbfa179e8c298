/** Begins to measure the CPU time of this thread; the function returns how much it has used since (ms). */
export function cpuTime(): () => number {
  const begun = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(begun);
    return (user + system) / 1000;
  };
}
