/** Who acts: a user, or a program with an API key of ours. */
export interface Actor {
  type: 'user' | 'api_key';
  id: number;
  /** The username, or the key's name. */
  name: string;
}

/** Who calls, in which tenant, and what the roles or the key allow. */
export interface Principal {
  actor: Actor;
  tenantId: string;
  permissions: ReadonlySet<string>;
  /** The session that the access token names: logout ends it. A key has none. */
  sessionId: string | null;
}

/** Where a change comes from, for events and the audit log. */
export interface Caller {
  tenantId: string;
  actor: Actor;
  requestId: string;
  /** Of the client; behind proxies, as far as TRUST_PROXY believes them. */
  address: string;
}
