import { Type } from 'typebox';
import { Id, nameOf, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';

export const Email = Type.String({ minLength: 1, maxLength: 100, examples: ['ada@example.com'] });
const Name = (example: string) => nameOf(100, { examples: [example] });
/** A password for login: not checked against the policy, so one that does not meet it is simply wrong. */
const GivenPassword = Type.String({ minLength: 1, maxLength: 1000, writeOnly: true, examples: ['Correct-Horse-7'] });
const NewPassword = Type.String({
  maxLength: 1000,
  writeOnly: true,
  examples: ['Correct-Horse-8'],
  description: '8 to 200 characters with an upper-case letter, a lower-case letter, a digit and a special character',
});

const TotpCode = Type.String({
  maxLength: 20,
  writeOnly: true,
  examples: ['123456'],
  description: 'The current code of the authenticator app',
});

export const User = strict(
  {
    id: Id,
    username: Type.String({ examples: ['ada'] }),
    email: Type.String({ examples: ['ada@example.com'] }),
    firstName: Type.String({ examples: ['Ada'] }),
    lastName: Type.String({ examples: ['Byron'] }),
    tenantId: Type.String({ examples: ['default'] }),
    active: Type.Boolean(),
    emailVerified: Type.Boolean(),
    roles: Type.Array(Type.String({ examples: ['User'] })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    version: Version,
  },
  { title: 'User' },
);

export const AuthResponse = strict(
  {
    accessToken: Type.String({ description: 'A JWT for the Authorization header' }),
    tokenType: oneOf(['Bearer']),
    expiresIn: Type.Integer({ description: 'Lifetime of the access token in seconds', examples: [86400] }),
    refreshToken: Type.String({ description: 'For POST /auth/refresh; can be used once' }),
    user: User,
  },
  { title: 'AuthResponse' },
);

export const Register = strict({
  username: Type.String({
    minLength: 1,
    maxLength: 50,
    examples: ['ada'],
    description: 'Letters, digits and . _ - +, or the email address',
  }),
  email: Email,
  // The password that the examples of logins have.
  password: Type.String({ ...NewPassword, examples: ['Correct-Horse-7'] }),
  firstName: Name('Ada'),
  lastName: Name('Byron'),
});

export const Login = strict({
  username: Type.String({
    minLength: 1,
    maxLength: 100,
    examples: ['ada'],
    description: 'The username or the email address',
  }),
  password: GivenPassword,
  totp: Type.Optional(TotpCode),
});

export const Refresh = strict({ refreshToken: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }) });

export const ProfileUpdate = writable(
  {
    firstName: Type.Optional(Name('Ada')),
    lastName: Type.Optional(Name('Byron')),
    email: Type.Optional(Email),
    currentPassword: Type.Optional(GivenPassword),
  },
  ['id', 'username', 'tenantId', 'active', 'emailVerified', 'roles', 'version', 'createdAt', 'updatedAt'],
);

export const PasswordChange = strict({ currentPassword: GivenPassword, newPassword: NewPassword });

export const MailRequest = strict({ email: Email });

export const MailToken = Type.String({
  maxLength: 2048,
  writeOnly: true,
  description: 'From the link in the email',
  examples: ['B2RlZmF1bHQ'],
});
export const PasswordReset = strict({ token: MailToken, password: NewPassword });
export const Verification = strict({ token: MailToken });

export const TotpStart = strict({ currentPassword: GivenPassword });
export const TotpSecret = strict({
  secret: Type.String({
    description: 'In Base32, for manual entry into an authenticator app',
    examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  }),
  otpauthUrl: Type.String({
    description: 'The otpauth URL of the secret, to be shown as a QR code',
    examples: ['otpauth://totp/Perennial:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Perennial'],
  }),
});
export const TotpConfirm = strict({ totp: TotpCode });
export const TotpRemove = strict(
  { totp: Type.Optional(TotpCode), currentPassword: Type.Optional(GivenPassword) },
  { examples: [{ currentPassword: 'Correct-Horse-7' }] },
);

/** Optional, so that an incomplete link leads to a page instead of an error. */
export const TokenQuery = Type.Object({
  token: Type.Optional(Type.String({ description: 'From the link in the email' })),
});
