import { isDeepStrictEqual } from 'node:util';
import { isTimezone } from '../../../lib/time/local-time.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import type { ContactPreferences, Person } from './contact-preferences.ts';

type Given = Record<string, unknown>;
const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const memberOf = (value: unknown, name: string): Given => {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
};
const violation = (path: string, code: string, message: string): Violation => ({ path, code, message });

/** A contact, and when its number last opted out. */
type Judged = Person & { optedOutAt: Date | null };

/** Checks what the schema of preferences cannot express; the input may be anything where it does not fit the schema. */
export function preferenceViolations(input: object, current: ContactPreferences, person: Judged): Violation[] {
  const { channels, topics, quietHours } = input as Given;
  return [
    ...emailViolations(memberOf(channels, 'email'), current),
    ...textViolations(memberOf(channels, 'sms'), current, person),
    ...readOnlyViolations('/channels/push', memberOf(channels, 'push'), { devices: current.channels.push.devices }),
    ...(Array.isArray(topics) ? topicViolations(topics as unknown[], current, person) : []),
    ...quietViolations(quietHours),
  ];
}

/** The fields that only the service sets are accepted as they are. */
function readOnlyViolations(path: string, given: Given, current: Given): Violation[] {
  return Object.entries(current).flatMap(([name, value]) => {
    const wanted = given[name];
    if (wanted === undefined || isDeepStrictEqual(wanted, value)) return [];
    if (value instanceof Date && typeof wanted === 'string' && new Date(wanted).getTime() === value.getTime())
      return [];
    return [violation(`${path}/${name}`, 'read_only', 'cannot be changed')];
  });
}

function emailViolations(email: Given, { channels: { email: current } }: ContactPreferences): Violation[] {
  const found = readOnlyViolations('/channels/email', email, { reason: current.reason });
  if (email['wanted'] !== true || current.wanted) return found;
  const message =
    'cannot be set: only a confirmed opt-in, or removing the suppression of the address, makes a contact active again';
  return [...found, violation('/channels/email/wanted', 'invalid_status', message)];
}

function textViolations(sms: Given, { channels: { sms: current } }: ContactPreferences, person: Judged): Violation[] {
  const { consent, evidence } = sms;
  const given = memberOf(sms, 'evidence')['at'];
  const at = typeof given === 'string' || given instanceof Date ? new Date(given) : null;
  const found: Violation[] = [];
  if (consent === undefined || consent === current.consent)
    found.push(...readOnlyViolations('/channels/sms', sms, { at: current.at, source: current.source }));
  else if (person.number === null)
    found.push(violation('/channels/sms/consent', 'no_address', 'the contact has no valid phone number'));
  else if (consent === 'none')
    found.push(violation('/channels/sms/consent', 'conflict', 'a decision cannot be taken back, only changed'));
  else if (consent === 'subscribed' && !isObject(evidence))
    found.push(violation('/channels/sms/evidence', 'required', 'is required: who agreed to marketing texts, and how'));
  if (at === null) return found;
  const path = '/channels/sms/evidence/at';
  if (at.getTime() > Date.now()) found.push(violation(path, 'out_of_range', 'must not be in the future'));
  // Else whatever repeats what it knows of a person would undo each opt-out. What is put back as it was read is nothing new.
  const { optedOutAt } = person;
  const isKept = current.consent === 'subscribed' && at.getTime() === current.at?.getTime();
  if (consent === 'subscribed' && optedOutAt && at < optedOutAt && !isKept) {
    const message = `must not be before ${optedOutAt.toISOString()}, when the number opted out`;
    found.push(violation(path, 'out_of_range', message));
  }
  return found;
}

function topicViolations(topics: readonly unknown[], current: ContactPreferences, person: Person): Violation[] {
  const seen = new Set<unknown>();
  return topics.flatMap((topic, index): Violation[] => {
    if (!isObject(topic) || typeof topic['topicId'] !== 'number') return [];
    const { topicId, sms } = topic;
    const path = `/topics/${index}`;
    const known = current.topics.find((one) => one.topicId === topicId);
    if (!known) return [violation(`${path}/topicId`, 'not_found', `there is no topic ${topicId}`)];
    if (seen.has(topicId)) return [violation(`${path}/topicId`, 'duplicate', 'is there already')];
    seen.add(topicId);
    const found = readOnlyViolations(path, topic, { name: known.name });
    if (sms === false && person.number === null)
      found.push(violation(`${path}/sms`, 'no_address', 'the contact has no valid phone number'));
    return found;
  });
}

/** Also of what a visitor typed into the preference page. */
export function quietViolations(quietHours: unknown): Violation[] {
  if (!isObject(quietHours)) return [];
  const { from, to, timezone } = quietHours;
  return [
    ...(typeof timezone === 'string' && !isTimezone(timezone)
      ? [violation('/quietHours/timezone', 'timezone', 'must be an IANA timezone')]
      : []),
    ...(typeof from === 'string' && from === to ? [violation('/quietHours/to', 'range', 'must differ from from')] : []),
  ];
}
