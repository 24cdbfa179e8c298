import { timingSafeEqual } from 'node:crypto';

/** Whether a request with this Authorization header may read metrics: anybody may if METRICS_TOKEN is empty. */
export function mayReadMetrics(token: string, authorization: string): boolean {
  const [given, wanted] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return token === '' || (given.length === wanted.length && timingSafeEqual(given, wanted));
}
