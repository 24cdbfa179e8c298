/** Who makes a request: a user, or a program with an API key. */
export interface Actor {
  type: 'user' | 'api_key';
  id: number;
  /** The username, or the key's name. */
  name: string;
}

/** An authenticated caller, its tenant, and the permissions of its roles or key. */
export interface Principal {
  actor: Actor;
  tenantId: string;
  permissions: ReadonlySet<string>;
  /** The session of the access token, which logout ends; null for an API key. */
  sessionId: string | null;
}

/** The origin of a change, for events and the audit log. */
export interface Caller {
  tenantId: string;
  actor: Actor;
  requestId: string;
  /** The client's IP address; behind proxies, as far as TRUST_PROXY trusts them. */
  address: string;
}
