import { createClient, each } from '../../../clients/typescript/index.ts';

/** Each line below an `@ts-expect-error` is a mistake that the compiler finds; types.test.ts counts them. */
export async function wrongUses(client = createClient({ baseUrl: 'http://localhost:8080' })): Promise<void> {
  // @ts-expect-error a field that no contact has
  await client.createContact({ body: { firstname: 'Ada', lastName: 'Byron', email: 'ada@example.com' } });
  // @ts-expect-error a required field is absent
  await client.createContact({ body: { firstName: 'Ada', lastName: 'Byron' } });
  // @ts-expect-error a field that the service sets
  await client.createContact({ body: { id: 1, firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' } });
  // @ts-expect-error no id
  await client.getContact();
  // @ts-expect-error an id is a number
  await client.getContact({ path: { id: '1' } });
  // @ts-expect-error a field that is in no answer
  void (await client.getContact({ path: { id: 1 } })).surname;
  // @ts-expect-error a status that does not exist
  await client.listContacts({ query: { status: 'gone' } });
  // @ts-expect-error a filter that does not exist, of an iterator
  for await (const contact of each(client.listContacts, { query: { statuss: 'active' } })) void contact;
  // @ts-expect-error an operation that does not exist
  await client.createContacts({});
}
