/**
 * Passes on what `source` yields, and asks it for one more item while the last one is being used. An error of `source`
 * is thrown after the items before it. If the loop is left early, that item is dropped.
 */
export async function* oneAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = source.next();
    // It is handled when it is awaited, which may be much later, or never.
    asked.catch(() => undefined);
    return asked;
  };
  try {
    for (let next = ask(); ;) {
      const result = await next;
      if (result.done) return;
      next = ask();
      yield result.value;
    }
  } finally {
    // Not awaited: it may wait for a slow read.
    source.return(undefined).catch(() => undefined);
  }
}
