import type { Channel } from '../../../db/entities/channels.ts';
import type { DailySpan } from '../../../lib/time/local-time.ts';

export interface Evidence {
  source: string;
  text: string | null;
  ip: string | null;
  at: Date;
}

/** What a contact wants, as far as it is known. */
export interface ContactPreferences {
  contactId: number;
  channels: {
    /** `reason`: the status of a contact that gets no marketing email. */
    email: { wanted: boolean; reason: string | null };
    sms: {
      consent: 'subscribed' | 'unsubscribed' | 'none';
      at: Date | null;
      source: string | null;
      evidence: Evidence | null;
    };
    push: { devices: number };
  };
  topics: ({ topicId: number; name: string } & Record<Channel, boolean>)[];
  quietHours: DailySpan | null;
  preferredChannel: Channel | null;
}

/** A contact as its preferences need it. */
export interface Person {
  contactId: number;
  emailKey: string;
  number: string | null;
  status: string;
}
