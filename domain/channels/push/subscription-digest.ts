import { createHash } from 'node:crypto';
import type { SubscriptionType } from '../../../db/entities/channels.ts';

/** What a device is unique by within a tenant: its endpoint or token may be too long for an index. */
export const subscriptionDigest = (type: SubscriptionType, endpoint: string): string =>
  createHash('sha256').update(`${type}\n${endpoint}`).digest('hex');
