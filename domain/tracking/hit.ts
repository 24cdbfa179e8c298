/** A fetched pixel or a followed link, as published on `tracking.hits`. */
interface AnyHit {
  /** A UUID, so that a hit counts once even if it arrives repeatedly. */
  id: string;
  /** RFC 3339. */
  at: string;
  ip: string | null;
  userAgent: string | null;
  /** Certainly automated, by its method or headers; agents are judged when it is stored. */
  automated: boolean;
}

export interface EmailHit extends AnyHit {
  emailId: number;
  type: 'OPEN' | 'CLICK';
  url: string | null;
  /** When the link was made, RFC 3339; null in emails of earlier releases. */
  madeAt: string | null;
}

/** A followed link of a text message or push. */
export interface MessageHit extends AnyHit {
  /** The send whose link it is: a text, or a push to one device. */
  sendId: number;
  type: 'CLICK';
  url: string;
}

export type Hit = EmailHit | MessageHit;
