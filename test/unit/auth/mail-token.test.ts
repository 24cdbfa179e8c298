import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from '@jest/globals';
import { mailLink, newMailToken, readMailToken, SYSTEM_MAILS } from '../../../domain/addresses/mail-token.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';

const [ONE, TWO, THREE] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)];
const links = createLinkSigner({ secret: ONE });
const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? url.slice(url.lastIndexOf('/') + 1);

test('a link leads to the page of its mail, under PUBLIC_URL as it is set', () => {
  const pages = {
    reset_password: '/reset-password?token=',
    verify_email: '/verify-email?token=',
    invitation: '/accept-invitation?token=',
    confirm_sender: '/api/v1/emails/confirm-sender/',
  };
  for (const key of SYSTEM_MAILS) {
    const token = newMailToken(links, key, 'default');
    for (const base of ['https://mail.example.com', 'https://mail.example.com/', 'https://example.com/perennial/']) {
      assert.ok(mailLink(links, base, key, 'default', token).startsWith(`${base.replace(/\/$/, '')}${pages[key]}`));
    }
  }
});

test('what is stored is the SHA-256 of the token, and the token says whose it is', () => {
  const stored = newMailToken(links, 'reset_password', 'acme');
  const token = tokenOf(mailLink(links, 'https://example.com', 'reset_password', 'acme', stored));
  assert.equal(createHash('sha256').update(token).digest('base64url'), stored.hash);
  assert.deepEqual(readMailToken(links, 'reset_password', token), { tenantId: 'acme', ...stored });
});

test('a token is worth nothing for another purpose, altered, or by another secret', () => {
  const token = tokenOf(
    mailLink(links, 'https://example.com', 'verify_email', 'acme', newMailToken(links, 'verify_email', 'acme')),
  );
  for (const key of ['reset_password', 'invitation', 'confirm_sender'] as const)
    assert.equal(readMailToken(links, key, token), null);
  for (let at = 0; at < token.length; at += 1) {
    const altered = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    assert.equal(readMailToken(links, 'verify_email', altered), null);
  }
  for (const other of [
    '',
    'x',
    token.slice(1),
    `${token}A`,
    links.sign('reset_password', ['acme', 'x']),
    links.emailToken('view', 7),
  ]) {
    assert.equal(readMailToken(links, 'verify_email', other), null);
  }
  assert.equal(readMailToken(createLinkSigner({ secret: TWO }), 'verify_email', token), null);
});

test('while the secret is rotated, a mail that waits carries the token that its row knows', () => {
  const stored = newMailToken(links, 'invitation', 'acme');
  const rotated = createLinkSigner({ secret: TWO, previous: ONE });
  const before = mailLink(links, 'https://example.com', 'invitation', 'acme', stored);
  assert.equal(mailLink(rotated, 'https://example.com', 'invitation', 'acme', stored), before);
  assert.deepEqual(readMailToken(rotated, 'invitation', tokenOf(before)), { tenantId: 'acme', ...stored });
  const fresh = newMailToken(rotated, 'invitation', 'acme');
  assert.equal(
    readMailToken(links, 'invitation', tokenOf(mailLink(rotated, 'https://example.com', 'invitation', 'acme', fresh))),
    null,
  );
  assert.throws(
    () =>
      mailLink(createLinkSigner({ secret: THREE, previous: TWO }), 'https://example.com', 'invitation', 'acme', stored),
    /LINK_SECRET/,
  );
});
