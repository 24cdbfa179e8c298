import { Type } from 'typebox';
import { EmailSender } from '../../../db/entities/email-senders.ts';
import { freshEm, type EntityManager } from '../../../db/orm.ts';
import { requestConfirmation } from '../../../domain/emails/sender-setup/confirm-sender.ts';
import { listSenders } from '../../../domain/emails/senders/list-senders.ts';
import { proofsOf, isVerifiedBy, type Proof } from '../../../domain/emails/senders/proven.ts';
import {
  createSender,
  deleteSender,
  senderViolations,
  updateSender,
  type DkimInput,
  type SenderInput,
} from '../../../domain/emails/sender-setup/save-sender.ts';
import { publicDkimKey } from '../../../domain/emails/senders/shown-key.ts';
import { verifySender } from '../../../domain/emails/sender-setup/verify-sender.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { Queued } from '../ledger/schema.ts';
import {
  Id,
  IdParams,
  listOf,
  listQuery,
  nullable,
  strict,
  Timestamp,
  Version,
  writable,
} from '../../route/schemas.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../../route/route.ts';

const email = Type.String({
  maxLength: 255,
  description: 'The From address',
  examples: ['news@example.com'],
});
const optional = {
  name: nullable(
    Type.String({
      maxLength: 255,
      description: 'Default display name of the From address, for templates without one',
      examples: ['Example News'],
    }),
  ),
  replyTo: nullable(
    Type.String({
      maxLength: 255,
      description: 'Default Reply-To address, for templates without one',
      examples: ['help@example.com'],
    }),
  ),
};
const named = {
  domain: Type.String({
    maxLength: 255,
    description: 'The signing domain (d=): the domain of the address or a parent domain',
    examples: ['example.com'],
  }),
  selector: Type.String({ minLength: 1, maxLength: 63, examples: ['news2030'] }),
};
const published = {
  publicKey: Type.String(),
  dnsName: Type.String({
    description: 'Name of the TXT record to publish',
    examples: ['news2030._domainkey.example.com'],
  }),
  dnsValue: Type.String({
    description: 'Value of the TXT record; in a zone file, split it into strings of up to 255 characters',
    examples: ['v=DKIM1; k=rsa; p=MIIB'],
  }),
  verifiedAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'When the record was last found in the DNS; null if the last check did not find it',
    }),
  ),
};
const Dkim = strict({ ...named, ...published }, { title: 'SenderDkim' });
const unchanged = Type.Optional(Type.Unsafe<unknown>({ readOnly: true }));
const DkimWritten = strict(
  {
    ...Type.Partial(Type.Object(named)).properties,
    privateKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        writeOnly: true,
        description: 'RSA private key in PEM; generated if absent. Never returned',
      }),
    ),
    publicKey: unchanged,
    dnsName: unchanged,
    dnsValue: unchanged,
    verifiedAt: unchanged,
  },
  {
    title: 'SenderDkimRequest',
    description:
      "Signs the sender's email with DKIM (RFC 6376). `{}` generates a key; another selector or private key replaces it; null removes it",
  },
);

const proof = {
  verified: Type.Boolean({
    description:
      'Whether email may be sent from the address: it is confirmed, or a sender of the tenant has verified its domain',
  }),
  confirmedAt: nullable(
    Type.String({
      format: 'date-time',
      description:
        'When the confirmation link was used. For senders that existed before confirmation links, in a service with a single tenant: when the service was upgraded',
    }),
  ),
  verifiedDomain: nullable(
    Type.String({
      description:
        'The domain verified by the DKIM record: email may be sent from any address of it and of its subdomains',
      examples: ['example.com'],
    }),
  ),
};
const Sender = strict({
  id: Id,
  email,
  ...optional,
  dkim: nullable(Dkim),
  ...proof,
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
const dkim = nullable(DkimWritten);
const readOnly = ['id', 'tenantId', 'version', 'createdAt', 'updatedAt', ...Object.keys(proof)];
const Create = writable({ email, ...Type.Partial(Type.Object({ ...optional, dkim })).properties }, readOnly);
const Update = writable(Type.Partial(Type.Object({ email, ...optional, dkim })).properties, readOnly, {
  examples: [{ name: 'News' }],
});

/** `proofs` are those of the tenant. */
function present(sender: EmailSender, proofs: readonly Proof[]) {
  return {
    id: sender.id,
    email: sender.email,
    name: sender.name ?? null,
    replyTo: sender.replyTo ?? null,
    dkim: publicDkimKey(sender),
    verified: isVerifiedBy(proofs, sender.emailKey),
    confirmedAt: sender.confirmedAt ?? null,
    verifiedDomain: sender.verifiedDomain ?? null,
    tenantId: sender.tenantId,
    version: sender.version,
    createdAt: sender.createdAt,
    updatedAt: sender.updatedAt,
  };
}

const readProofs = (em: EntityManager, tenantId: string): Promise<Proof[]> =>
  freshEm(em).transactional((tx) => proofsOf(tx, tenantId));

/** Splits a key into its writable fields and the read-only fields that were sent with it. */
function splitKey(given: Record<string, unknown> | null | undefined): {
  key: DkimInput | null | undefined;
  shown: Record<string, unknown>;
} {
  if (!given) return { key: given, shown: {} };
  const [shown = [], key = []] = [true, false].map((which) =>
    Object.entries(given).filter(([name]) => name in published === which),
  );
  return { key: Object.fromEntries(key), shown: Object.fromEntries(shown) };
}

/** A violation for each read-only field of a key whose value is not the current one; a new sender has none. */
const changedKey = (shown: Record<string, unknown>, current?: EmailSender): Violation[] =>
  changedReadOnly(shown, JSON.parse(JSON.stringify((current && publicDkimKey(current)) ?? {})) as object).map(
    (one) => ({
      ...one,
      path: `/dkim${one.path}`,
    }),
  );

/** The violations of the domain, and those of the key's read-only fields. */
function violationsOf(
  { dkim: given, ...fields }: { dkim?: Record<string, unknown> | null } & Omit<Partial<SenderInput>, 'dkim'>,
  current?: EmailSender,
): Violation[] {
  const { key, shown } = splitKey(given);
  return [
    ...changedKey(shown, current),
    ...senderViolations({ ...fields, ...(key === undefined ? {} : { dkim: key }) }, current),
  ];
}

export const senderRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/senders',
    operationId: 'listSenders',
    summary: 'List sender identities',
    description:
      'Addresses of this account, verified or not. Email can be sent from a verified one, and from the default sender `MAIL_FROM`.',
    access: 'emails:read',
    query: listQuery(['id', 'createdAt'], {}),
    responses: { 200: { schema: listOf(Sender) } },
    handler: async ({ em, principal, query }) => {
      const proofs = await readProofs(em, principal.tenantId);
      return { body: await listSenders(em, query, (found) => found.map((sender) => present(sender, proofs))) };
    },
  }),
  route({
    method: 'POST',
    path: '/emails/senders',
    operationId: 'createSender',
    summary: 'Create a sender identity',
    access: 'emails:write',
    description:
      'With `dkim`, email from the address is signed immediately; publish the returned TXT record and verify it. Without the record, receivers ignore the signature. A confirmation link is sent to the address: email may be sent from it once the link is confirmed or the DKIM record of its domain is verified.',
    body: Create,
    responses: { 201: { schema: Sender } },
    errors: ['email_taken', 'too_many_requests'],
    check: ({ body }) => violationsOf(body),
    handler: async ({ em, deps, caller, body: { dkim: given, ...fields } }) => {
      const { key, shown } = splitKey(given);
      assertValid(changedKey(shown));
      const sender = await createSender(em, deps, caller, { ...fields, ...(key === undefined ? {} : { dkim: key }) });
      return created(`/emails/senders/${sender.id}`, present(sender, await readProofs(em, caller.tenantId)));
    },
  }),
  route({
    method: 'GET',
    path: '/emails/senders/{id}',
    operationId: 'getSender',
    summary: 'Get a sender identity',
    description: 'With the DNS record to publish for its DKIM key. A private key is never returned.',
    access: 'emails:read',
    params: IdParams,
    responses: { 200: { schema: Sender } },
    errors: ['not_found'],
    handler: async ({ em, principal, params }) => {
      const sender = await em.findOne(EmailSender, { id: params.id });
      if (!sender) throw notFound('sender', params.id);
      return { body: present(sender, await readProofs(em, principal.tenantId)) };
    },
  }),
  route({
    method: 'PUT',
    path: '/emails/senders/{id}',
    operationId: 'updateSender',
    summary: 'Change a sender identity',
    description:
      'Another address must be confirmed again; another DKIM domain, selector or private key replaces the key. 409 `in_use` if templates would be left with an address that is not verified.',
    access: 'emails:write',
    params: IdParams,
    body: Update,
    responses: { 200: { schema: Sender } },
    errors: ['not_found', 'email_taken', 'in_use', 'conflict', 'precondition_failed', 'too_many_requests'],
    check: async ({ tx, caller, params, body, readOnly }) => {
      const current = await tx.findOne(EmailSender, { id: params.id ?? 0 });
      return current
        ? [
            ...changedReadOnly(readOnly, present(current, await proofsOf(tx, caller.tenantId))),
            ...violationsOf(body, current),
          ]
        : [];
    },
    handler: async ({ em, deps, caller, params, body: { dkim: given, ...fields }, readOnly, ifMatch }) => {
      const { key, shown } = splitKey(given);
      const proofs = await readProofs(em, caller.tenantId);
      const sender = await updateSender(
        em,
        deps,
        caller,
        params.id,
        { ...fields, ...(key === undefined ? {} : { dkim: key }) },
        (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, present(current, proofs));
          assertValid(changedKey(shown, current));
        },
      );
      return { body: present(sender, await readProofs(em, caller.tenantId)) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/emails/senders/{id}',
    operationId: 'deleteSender',
    summary: 'Delete a sender identity',
    description:
      '409 `in_use`, naming them, while templates use its address, or an address that only this sender verifies.',
    access: 'emails:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['not_found', 'in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteSender(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/emails/senders/{id}/confirmation',
    operationId: 'requestSenderConfirmation',
    summary: "Resend the confirmation link to a sender's address",
    description: 'Only the link in the latest email works, once, within 24 hours.',
    access: 'emails:write',
    params: IdParams,
    responses: { 202: { schema: Queued } },
    errors: ['not_found', 'conflict', 'too_many_requests'],
    handler: async ({ em, deps, caller, params }) => {
      const { emailId, status } = await requestConfirmation(em, deps.links, caller, params.id);
      return accepted(`/emails/${emailId}`, { emailId, status });
    },
  }),
  route({
    method: 'POST',
    path: '/emails/senders/{id}/verify',
    operationId: 'verifySender',
    summary: "Verify a sender's DKIM record in the DNS",
    access: 'emails:write',
    description:
      'If the record is found, the domain is verified for the tenant, and email may be sent from any address of it and of its subdomains. If you supplied the key, the record must name the tenant, as `dnsValue` does.',
    params: IdParams,
    responses: { 200: { schema: Sender } },
    errors: ['not_found', 'conflict', 'dns_record_invalid', 'unavailable'],
    repeatable: true,
    handler: async ({ em, deps, caller, params }) => {
      const sender = await verifySender(em, deps.resolveTxt, caller, params.id);
      return { body: present(sender, await readProofs(em, caller.tenantId)) };
    },
  }),
];
