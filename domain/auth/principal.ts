/** Who calls: a user with a token of ours, and what the user's roles allow. */
export interface Principal {
  userId: number;
  username: string;
  tenantId: string;
  permissions: ReadonlySet<string>;
  /** The session that the access token names: logout ends it. */
  sessionId: string;
}
