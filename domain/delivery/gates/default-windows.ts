import type { Channel } from '../../../db/entities/channels.ts';
import type { SendWindow } from '../../../lib/time/local-time.ts';

export type SendWindows = Record<Channel, SendWindow | null>;

/** The send windows of a tenant that has set none. Text messages: 47 CFR 64.1200(c)(1). */
export const DEFAULT_WINDOWS: SendWindows = {
  email: null,
  sms: { from: '08:00', to: '21:00', timezone: 'contact' },
  push: null,
};
