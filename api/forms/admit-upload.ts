import type { Context } from 'koa';
import { AppError } from '../../domain/common/errors.ts';
import { Places } from '../../domain/common/places.ts';
import { shownFields } from '../../domain/forms/known-contact.ts';
import { networkOf } from '../../domain/rate-limits/network-of.ts';
import type { Deps } from '../../runtime/deps.ts';
import type { FileRules, RouteSpec } from '../route/route.ts';
import { isFormToken } from './form-token.ts';
import { HONEYPOT } from './shared/definition.ts';
import { fileRules } from './submission-files.ts';
import { takeSubmission } from './submission-limits.ts';
import { allowOrigin, hostedPage, isFilled, isTemporary, ownOriginOf, publicForm, wantsPage } from './submit.ts';

/** For how long a request waits before its body is read. */
const WAIT_MS = 5_000;
/** How many submissions with files a process receives at once: each takes disk space until it is answered. */
const all = new Places({ most: 100, mostWaiting: 200, waitMs: WAIT_MS });
/** The same from one address, so that it leaves places to others. */
const ofAddresses = new Places({ most: 10, mostWaiting: 20, waitMs: WAIT_MS });

const tooMany = (): AppError =>
  new AppError('unavailable', 'Too many files are being sent; try again', { headers: { 'Retry-After': '5' } });

/**
 * Decides whether a multipart submission is read at all, by all that is known before its body, and which of its files
 * are written to disk.
 */
export async function admitUpload({
  ctx,
  deps,
  params,
}: {
  ctx: Context;
  deps: Deps;
  params: { id: number };
}): Promise<FileRules> {
  const { form } = await publicForm(deps, params.id);
  allowOrigin(ctx, form, ownOriginOf(deps));
  const rules = fileRules(form.fields, deps.env.FORM_FILE_MAX_BYTES);
  try {
    await takeSubmission(deps, form, ctx.ip);
    return {
      ...rules,
      ...(rules.bytes === 0 ? {} : { done: await takePlaces(networkOf(ctx.ip)) }),
      areUnwanted: (fieldBefore) => {
        const token = fieldBefore('_token');
        return (
          isFilled(fieldBefore(HONEYPOT)) ||
          (token !== undefined && !isFormToken(deps.links, token, form.id, new Date()))
        );
      },
    };
  } catch (error) {
    if (isTemporary(error) && wantsPage(ctx)) {
      ctx.remove('X-Frame-Options');
      // Whether a known contact sends it is in the body.
      const shown = { fields: shownFields(form, null), knownContact: false };
      const page: RouteSpec['errorPage'] = () =>
        hostedPage(ctx, deps, form, { ...shown, failure: 'busy', isUnread: true });
      ctx.state['errorPage'] = page;
    }
    throw error;
  }
}

/** Takes a place for a submission with files; returns what gives it back. Throws `unavailable`. */
async function takePlaces(address: string): Promise<() => void> {
  if (!(await ofAddresses.take(address))) throw tooMany();
  if (!(await all.take(''))) {
    ofAddresses.free(address);
    throw tooMany();
  }
  return () => {
    all.free('');
    ofAddresses.free(address);
  };
}
