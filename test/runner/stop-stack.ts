/** Stops the stack that this run of Jest has started. */
export default async function stopStack(): Promise<void> {
  await globalThis.stopTestStack?.();
}
