/**
 * Status codes of RFC 3463 (section 3) and RFC 7505 for addresses that can never receive anything. All other failures,
 * even permanent ones, are caused by the message, the sender, a policy or a system, and count as soft: 5.1.5 (the
 * address is valid), 5.1.7 and 5.1.8 (the sender's address), 5.1.9 (a relay), 5.2.0 and 5.2.2 to 5.2.4 (mailbox full,
 * message too long, a list cannot be expanded), all of 5.3 (the mail system), 5.4 except 5.4.4 (network, loops,
 * timeouts), 5.5 (the protocol), 5.6 (the content) and 5.7 (policy, spam, authentication).
 */
const ADDRESS_IS_DEAD: ReadonlySet<string> = new Set([
  '5.1.0', // something about the address
  '5.1.1', // no such mailbox
  '5.1.2', // no such mail system
  '5.1.3', // not an address
  '5.1.4', // the address matches several mailboxes
  '5.1.6', // the mailbox has moved to an unknown address
  '5.1.10', // the domain accepts no email: null MX (RFC 7505)
  '5.2.1', // the mailbox is disabled
  '5.4.4', // no host to deliver to: the domain has no mail server
]);

/**
 * Replies (RFC 5321, section 4.2.3) about the mailbox, used if the status code is missing or X.0.0. Not 552 (the
 * mailbox is full) and 554 (unspecific).
 */
const MAILBOX_REPLIES: ReadonlySet<string> = new Set(['550', '551', '553']);

// Neither pattern matches a part of a number with more dots, such as an IP address.
const ENHANCED = /(?<![\d.])([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/;
const REPLY = /(?:^|[^\d.\w])([45][0-5]\d)(?=[ -]\S|$)/;

export interface Failure {
  kind: 'hard' | 'soft';
  statusCode: string | null;
}

/**
 * Whether a failure is permanently due to the address, from the status and the text of a report. An unspecific status
 * (X.n.0) is overridden by one in the text. Null if neither contains a code.
 */
export function judgeFailure(status: string | null | undefined, text: string | null | undefined): Failure | null {
  const given = ENHANCED.exec(status ?? '')?.[1] ?? null;
  const told = ENHANCED.exec(text ?? '')?.[1] ?? null;
  const code = given && !given.endsWith('.0') ? given : told && !(told.endsWith('.0') && given) ? told : given;
  const reply = REPLY.exec(text ?? '')?.[1] ?? null;
  if (code !== null && !code.endsWith('.0.0'))
    return { kind: ADDRESS_IS_DEAD.has(code) ? 'hard' : 'soft', statusCode: code };
  if (reply !== null)
    return { kind: MAILBOX_REPLIES.has(reply) && code?.[0] !== '4' ? 'hard' : 'soft', statusCode: code ?? reply };
  return code === null ? null : { kind: 'soft', statusCode: code };
}
