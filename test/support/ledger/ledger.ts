import type { EmailStatus } from '../../../db/entities/emails.ts';
import type { MessageStatus } from '../../../db/entities/messages.ts';
import type { Resolution } from '../../../domain/emails/ledger/resolve-email.ts';
import type { Settlement } from '../../../domain/emails/ledger/settle-emails.ts';

/** Time is simulated, in ticks. Leases, pauses and elapsed times are whole ticks, so that no real second matters. */
export const LEASE = 2;
export const SENDING_LEASE = 6;
export const REQUEST_AGAIN_AFTER = 6;
/** Twelve hours, in which a provider is asked again under the same key. */
export const REPEATABLE_FOR = 44;
/** Three days, after which nothing is retried. */
export const EXPIRES_AFTER = 260;
/** The same before a message is started, with the hour for which marketing may be held here. */
export const TOO_OLD_AFTER = 263;
/** So long that the duration of a test does not matter. */
export const TICK_SECONDS = 1000;

/** What is sent: emails of journeys, emails of an email campaign (in batches), or text messages and pushes. */
export type Kind = 'journey' | 'campaign' | 'messages';
export const KINDS: readonly Kind[] = ['journey', 'campaign', 'messages'];

export type Status = EmailStatus | MessageStatus;

/** A send, as seen by every holder: an email, a text message, or a push to one device. */
export interface LedgerSend {
  id: number;
  status: Status;
  attempt: number;
  accepted: boolean;
  holder: string | null;
  /** Whether it has a lease that has not expired. */
  leased: boolean;
  /** Whether it is QUEUED and its next attempt may start. */
  due: boolean;
  /** Messages: the provider of the last attempt; and the only one that may still be asked. */
  provider: number | null;
  bound: number | null;
}

/** What a holder knows about a send that it leased. */
export interface Copy {
  id: number;
  /** The batch with which the real ledger leased it. */
  batchId: number | null;
  attempt: number;
  /** The version of the contact when it was rendered. */
  version: number;
  /** When leased: the only provider that may be asked. When started: the one that is. */
  provider: number | null;
}

export interface Started {
  id: number;
  status: Status;
  attempt: number;
}

export interface Attempted extends Pick<Settlement, 'id' | 'attempt' | 'start' | 'result'> {
  /** Whether it was sent to a provider, and to which one. */
  tried: boolean;
  provider: number | null;
  /** It may have been accepted; only this provider may be asked again, because it knows it by its key. */
  isBound?: boolean;
  /** In ticks. */
  delay: number;
}

/** What is told about a message later: by its provider or device, or by a click. */
export type Evidence = 'SENT' | 'DELIVERED' | 'UNDELIVERED' | 'FAILED' | 'CLICK';

/** The commands of a send ledger. Each is one transaction. */
export interface Ledger {
  readonly kind: Kind;
  /** Allows the emails to be leased. Emails of a campaign: releases a batch of as many, in their order. */
  accept: (ids: readonly number[]) => Promise<void>;
  /** Returns the emails whose request was published again; of a campaign, those that are not released. */
  requestAgain: () => Promise<number[]>;
  lease: (holder: string, limit: number) => Promise<Copy[]>;
  release: (holder: string, ids: readonly number[]) => Promise<void>;
  /** Starts copies; `ended` are attempts that are settled before, in the same transaction. */
  start: (holder: string, start: string, copies: readonly Copy[], ended?: readonly Attempted[]) => Promise<Started[]>;
  /** Of emails. */
  renew: (holder: string, ids: readonly number[]) => Promise<number[]>;
  settle: (attempts: readonly Attempted[]) => Promise<void>;
  sweep: () => Promise<void>;
  /** Of messages: whether the report counts, because it is about the last attempt, or proves a delivery. */
  report: (id: number, evidence: Evidence, provider: number) => Promise<boolean>;
  /** Returns those that were UNKNOWN: the send, with the other devices of its message. None if its message is not. */
  resolve: (id: number, outcome: Resolution) => Promise<number[]>;
  /**
   * With `atOnce`, what is queued is suppressed too, as by the unsubscribe page; without it, only the gates take
   * effect.
   */
  unsubscribe: (id: number, atOnce: boolean) => Promise<void>;
  changeContact: (id: number) => Promise<void>;
  pass: (ticks: number) => Promise<void>;
  sends: () => Promise<LedgerSend[]>;
  /** Runs `work` in a transaction that is lost. */
  undone: (work: () => Promise<unknown>) => Promise<void>;
}

/**
 * The sends of the same message. Messages are a text, whose providers know it by its key, and a push to all other
 * devices.
 */
export const together = (kind: Kind, ids: readonly number[], id: number): readonly number[] =>
  kind === 'messages' && id !== ids[0] ? ids.slice(1) : [id];
export const isText = (kind: Kind, ids: readonly number[], id: number): boolean => kind === 'messages' && id === ids[0];
export function evidenceOf(kind: Kind, ids: readonly number[], id: number): readonly Evidence[] {
  if (kind !== 'messages') return [];
  return isText(kind, ids, id) ? ['DELIVERED', 'SENT', 'UNDELIVERED', 'FAILED', 'CLICK'] : ['DELIVERED', 'CLICK'];
}

/** Rules that can be broken deliberately, to show that this is detected. */
export type Fault =
  | 'sweeper queues'
  | 'any attempt settles'
  | 'any status settles'
  | 'attempts are not counted'
  | 'anything is resolved'
  | 'started again from SENDING'
  | 'settling forgets the sweeper'
  | 'not sent is not believed'
  | 'lost starts are taken back by number'
  | 'gates are not asked again'
  | 'dots without a lease'
  | 'silence is a failure'
  | 'silence is an end'
  | 'twins are both sent'
  | 'lost starts are not in doubt'
  | 'any dot is a success'
  | 'sweeper does not wait';

/** Those of text messages and pushes alone. */
export type MessageFault =
  | 'any provider is asked again'
  | 'a refusal ends a doubt'
  | 'a doubt is suppressed'
  | 'a doubt expires'
  | 'reports of a doubt are forgotten'
  | 'reports go back'
  | 'old ones are started'
  | 'a proof comes too late'
  | 'keys are kept for ever';
