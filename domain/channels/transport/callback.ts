/** Where a provider reports what becomes of a send: the path below that of the API. */
export const callbackPath = (providerId: number, sendId: number): string =>
  `/channels/webhooks/${providerId}?send=${sendId}`;
