/** One of the things that decide whether a contact is in a campaign. */
export interface EntryCheck {
  check: 'campaign' | 'contact' | 'reentry' | 'interval' | 'trigger' | 'segment' | 'enrolment';
  passed: boolean;
  reason: string;
  /** When what the check is about happened, or will; null if that has no time. */
  at: Date | null;
}
