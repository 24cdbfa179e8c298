import type { Deps } from '../../runtime/deps.ts';

/** The URL of the API, for codes that are pasted into pages of other sites. */
export const apiUrlOf = ({ env }: Pick<Deps, 'env'>): string => `${env.PUBLIC_URL.replace(/\/+$/, '')}/api/v1`;
