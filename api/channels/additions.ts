import { shortBase } from '../../config/short-base.ts';
import type { Additions } from '../../domain/channels/content/assert-fits.ts';
import { pushToken } from '../../domain/channels/push/push-token.ts';
import type { Deps } from '../../runtime/deps.ts';

/** What this service adds to messages of a tenant, at its shortest. */
export const additionsOf = (
  { env, links }: Pick<Deps, 'env' | 'links'>,
  tenantId: string,
): Pick<Additions, 'base' | 'token'> => ({ base: shortBase(env), token: pushToken(links, tenantId, 1) });
