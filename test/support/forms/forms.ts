import assert from 'node:assert/strict';
import type { Service } from '../service.ts';

/** A field of each type that a form can have, with an answer to it as a visitor types or picks it. */
export const EVERY_FIELD = [
  { name: 'email', label: 'Your email', type: 'email', required: true },
  {
    name: 'firstName',
    label: 'First name',
    type: 'text',
    required: true,
    maxLength: 20,
    placeholder: 'As you like it',
  },
  { name: 'about', label: 'About you', type: 'textarea', minLength: 3 },
  {
    name: 'size',
    label: 'Size of your company',
    type: 'select',
    required: true,
    options: [
      { value: 's', label: 'Small' },
      { value: 'l', label: 'Large' },
    ],
  },
  {
    name: 'channel',
    label: 'How do we reach you?',
    type: 'radio',
    required: true,
    options: [
      { value: 'mail', label: 'By email' },
      { value: 'phone', label: 'By phone' },
    ],
  },
  {
    name: 'topics',
    label: 'Topics',
    type: 'multiselect',
    required: true,
    options: [
      { value: 'a', label: 'Apples' },
      { value: 'b', label: 'Bees' },
      { value: 'c', label: 'Cats' },
    ],
  },
  { name: 'seats', label: 'Seats', type: 'number', min: 1, max: 500 },
  { name: 'phone', label: 'Phone', type: 'phone' },
  { name: 'site', label: 'Website', type: 'url' },
  { name: 'day', label: 'Day', type: 'date' },
  { name: 'hour', label: 'Hour', type: 'time' },
  { name: 'moment', label: 'Moment', type: 'datetime' },
  { name: 'country', label: 'Country', type: 'country' },
  { name: 'stars', label: 'How did you like it?', type: 'rating', min: 1, max: 5 },
  { name: 'code', label: 'Code', type: 'text', validationRegex: '[A-Z]{2}\\d+' },
  { name: 'newsletter', label: 'Send me the newsletter', type: 'checkbox' },
  { name: 'terms', label: 'I agree that you keep what I entered here', type: 'consent', required: true },
  { name: 'campaign', label: 'Campaign', type: 'hidden', defaultValue: 'spring' },
] as const;

let number = 0;
export const newAddress = (): string => `visitor${(number += 1)}@example.com`;

/** Creates a form and returns its id. */
export async function makeForm(service: Service, form: object = {}): Promise<number> {
  const answer = await service.api('POST', '/forms', { name: 'Contact us', fields: EVERY_FIELD, ...form });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}

/** The code that embeds a form. */
export async function embedCode(service: Service, id: number, type = 'javascript'): Promise<string> {
  return (await service.api('GET', `/forms/${id}/embed?type=${type}`)).body.code;
}

/** What submissions of a form hold, the latest first. */
export async function stored(service: Service, id: number): Promise<Record<string, unknown>[]> {
  const { data } = (await service.api('GET', `/forms/${id}/submissions`)).body;
  return data.map(({ submissionData }: { submissionData: Record<string, unknown> }) => submissionData);
}
