import { channelsOf } from '../channels.ts';
import type { Answer, Service } from '../service.ts';
import { until } from '../until.ts';
import { texting } from './texting.ts';

/** Texts to numbers of nobody that are sent by the API, and what becomes of them. */
export function sentTexts(service: Service) {
  const { call } = texting(service);
  let numbers = 0;
  const message = (id: number): Promise<Answer['body']> => call('GET', `/channels/messages/${id}`, 200);
  const attemptsOf = async (id: number): Promise<string[]> => {
    const { attempts } = await call('GET', `/channels/messages/${id}/explain`, 200);
    return attempts.map(({ outcome }: { outcome: string }) => outcome);
  };
  return {
    call,
    query: channelsOf(service).engine,
    message,
    attemptsOf,
    /** Each goes to another number. Returns its id. */
    send: async (text = 'Your code is 1'): Promise<number> => {
      const to = `+4420794620${String((numbers += 1)).padStart(2, '0')}`;
      const body = { to, category: 'transactional', body: text };
      return (await call('POST', '/channels/sms/send', 202, body)).messageId;
    },
    ends: (id: number, status: string) =>
      until(`text ${id} is ${status}`, async () => {
        const found = await message(id);
        return found.status === status && found;
      }),
    triedOnce: (id: number) => until('it was tried', async () => (await attemptsOf(id)).length === 1),
  };
}
