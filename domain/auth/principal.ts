/** Who calls: a user with a token of ours, and what the user's roles allow. */
export interface Principal {
  userId: number;
  username: string;
  tenantId: string;
  permissions: ReadonlySet<string>;
  /** The access token, to revoke on logout. */
  token: { jti: string; family: string; expiresAt: Date };
}
