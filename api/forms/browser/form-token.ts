import { getJson } from './requests.ts';

const MARGIN_MS = 60_000;

/** The form's signed token, fetched when it is needed and anew before it expires; `known` came with the page. */
export function createFormToken(url: string, known: string | null) {
  let token = known;
  let expiresAt = Infinity;
  let pending: Promise<string> | null = null;
  const load = async (): Promise<string> => {
    const answer = await getJson<{ token: string; expiresAt: string }>(`${url}/token`);
    expiresAt = Date.parse(answer.expiresAt);
    return (token = answer.token);
  };
  return {
    get(): Promise<string> {
      if (token !== null && Date.now() < expiresAt - MARGIN_MS) return Promise.resolve(token);
      pending ??= load().finally(() => {
        pending = null;
      });
      return pending;
    },
    /** After the server has refused it. */
    forget(): void {
      token = null;
    },
  };
}
