/**
 * How the endpoint of a device is answered: where its push service is, and enough to tell devices apart. Whoever knows
 * all of it could subscribe in its place and get its pushes (RFC 8030 section 8.3).
 */
export const shownEndpoint = (endpoint: string): string =>
  `${/^https?:\/\/[^/]+\//.exec(endpoint)?.[0] ?? ''}…${endpoint.slice(-6)}`;
