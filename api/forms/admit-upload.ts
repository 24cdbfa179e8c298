import type { Context } from 'koa';
import type { Form } from '../../db/entities/forms.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { Places } from '../../lib/async/places.ts';
import { shownFields } from '../../domain/forms/known-contact.ts';
import { networkOf } from '../../domain/rate-limits/network-of.ts';
import type { Deps } from '../../runtime/deps.ts';
import type { FileRules, RouteSpec } from '../route/route.ts';
import { isFormToken } from './form-token.ts';
import { HONEYPOT } from './shared/definition.ts';
import { fileRules } from './submission-files.ts';
import { takeOfAddress } from './submission-limits.ts';
import { allowOrigin, hostedPage, isFilled, isTemporary, ownOriginOf, publicForm, wantsPage } from './submit.ts';

/** For how long the first file of a submission waits for a place. */
const WAIT_MS = 5_000;
const placesFor = (most: number): Places => new Places({ most, mostWaiting: 2 * most, waitMs: WAIT_MS });

/**
 * How many submissions with files a process receives at once, because each takes disk space until it is answered; fewer
 * of one form and from one address, so that they leave places to others.
 */
interface AllPlaces {
  ofAddress: Places;
  ofForm: Places;
  ofProcess: Places;
}
const placesOf = new WeakMap<Deps, AllPlaces>();

const tooMany = (): AppError =>
  new AppError('unavailable', 'Too many files are being sent; try again', { headers: { 'Retry-After': '5' } });

/**
 * Decides whether a multipart submission is read at all, by what is known before its body, and which of its files are
 * written to disk.
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
  const orPage = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (isTemporary(error) && wantsPage(ctx)) ctx.state['errorPage'] = busyPage(ctx, deps, form);
      throw error;
    });
  await orPage(takeOfAddress(deps, form, ctx.ip));
  return {
    ...fileRules(form.fields, deps.env.FORM_FILE_MAX_BYTES),
    takePlace: () => orPage(takePlace(deps, form, networkOf(ctx.ip))),
    areUnwanted: (fieldBefore) => {
      const token = fieldBefore('_token');
      return (
        isFilled(fieldBefore(HONEYPOT)) || (token !== undefined && !isFormToken(deps.links, token, form.id, new Date()))
      );
    },
  };
}

/** The form for a browser whose submission was not read; so who sends it, maybe a known contact, is not known. */
function busyPage(ctx: Context, deps: Deps, form: Form): RouteSpec['errorPage'] {
  ctx.remove('X-Frame-Options');
  const shown = { fields: shownFields(form, null), knownContact: false };
  return () => hostedPage(ctx, deps, form, { ...shown, failure: 'busy', isUnread: true });
}

/** Takes a place for a submission with files; returns what gives it back. Throws `unavailable`. */
async function takePlace(deps: Deps, form: Form, address: string): Promise<() => void> {
  const { ofAddress, ofForm, ofProcess } = placesOf.get(deps) ?? createPlaces(deps);
  const taken: (() => void)[] = [];
  const leave = (): void => {
    for (const free of taken) free();
  };
  for (const [places, key] of [
    [ofAddress, address],
    [ofForm, String(form.id)],
    [ofProcess, ''],
  ] as const) {
    if (!(await places.take(key))) {
      leave();
      throw tooMany();
    }
    taken.push(() => places.free(key));
  }
  return leave;
}

function createPlaces(deps: Deps): AllPlaces {
  const places = { ofAddress: placesFor(10), ofForm: placesFor(25), ofProcess: placesFor(100) };
  placesOf.set(deps, places);
  return places;
}
