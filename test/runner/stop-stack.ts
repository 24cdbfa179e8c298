/** Stops the stack that this Jest run has started. */
export default async function stopStack(): Promise<void> {
  await globalThis.stopTestStack?.();
}
