import { createHmac, hkdfSync } from 'node:crypto';
import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { createEmailLinks, trackableLink } from '../../../domain/emails/rendering/links.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';

const secret = 'a secret of at least thirty-two characters';
const signer = createLinkSigner({ secret });
const madeAt = new Date('2026-11-28T14:00:07Z');
const ids = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

test('ids come back from open, click and message tokens', () => {
  fc.assert(
    fc.property(ids, fc.webUrl(), (id, url) => {
      assert.deepEqual(signer.verifyOpen(signer.openTrackingId(id, madeAt)), { emailId: id, madeAt });
      assert.deepEqual(signer.verifyClick(signer.clickTrackingId(id, url, madeAt), url), { emailId: id, madeAt });
      assert.equal(signer.verifyEmailToken('message', signer.emailToken('message', id)), id);
    }),
  );
  assert.ok(signer.openTrackingId(123_456).length <= 34);
});

test('a click id is worth nothing with another url', () => {
  const url = 'https://example.com/a?x=1';
  const id = signer.clickTrackingId(7, url);
  for (const other of [
    'https://evil.example/',
    'https://example.com/a?x=2',
    '//example.com/a?x=1',
    `${url}\r\n`,
    `${url}#`,
    url.toUpperCase(),
    '',
  ]) {
    assert.equal(signer.verifyClick(id, other), null, other);
  }
});

test('a token of one purpose is worth nothing as another', () => {
  const open = signer.openTrackingId(7);
  const click = signer.clickTrackingId(7, 'https://example.com/');
  const view = signer.viewToken(7, new Date());
  assert.equal(signer.verifyClick(open, ''), null);
  assert.equal(signer.verifyOpen(click), null);
  assert.equal(signer.verifyOpen(view), null);
  assert.equal(signer.verifyEmailToken('message', view), null);
  assert.equal(signer.verify('b', signer.sign('a', ['x'])), null);
  assert.deepEqual(signer.verify('a', signer.sign('a', ['x'])), ['x']);
});

test('no change of a token is accepted, no other spelling of it either', () => {
  const token = signer.openTrackingId(123_456);
  for (let at = 0; at < token.length; at++) {
    for (const char of ['A', 'B', '_', '+', '=', ' ']) {
      const changed = token.slice(0, at) + char + token.slice(at + 1);
      if (changed !== token) assert.equal(signer.verifyOpen(changed), null, changed);
    }
    assert.equal(signer.verifyOpen(token.slice(0, at)), null);
  }
  for (const spelling of [`${token}=`, ` ${token}`, `${token}\n`, token.replaceAll('-', '+')]) {
    if (spelling !== token) assert.equal(signer.verifyOpen(spelling), null, spelling);
  }
  for (const junk of ['', 'x', 'A'.repeat(5000), '\u0000', '../..', '💥']) assert.equal(signer.verifyOpen(junk), null);
});

test('anything can be asked, nothing throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (token, url) => {
      assert.equal(signer.verifyOpen(token), null);
      assert.equal(signer.verifyClick(token, url), null);
      assert.equal(signer.verifyUnsubscribe(token), null);
      assert.equal(signer.verify('x', token), null);
    }),
  );
});

test('a payload comes back as it was, its parts kept apart', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: 'grapheme' }).map((text) => text.toWellFormed()),
        { minLength: 1, maxLength: 6 },
      ),
      (payload) => {
        assert.deepEqual(signer.verify('form', signer.sign('form', payload)), payload);
      },
    ),
  );
  assert.notEqual(signer.sign('form', ['ab', 'c']), signer.sign('form', ['a', 'bc']));
  assert.deepEqual(signer.verify('form', signer.sign('form', ['x'.repeat(1000), ''])), ['x'.repeat(1000), '']);
  assert.throws(() => signer.sign('form', ['x'.repeat(5000)]), RangeError);
});

test('the previous secret verifies, and never signs', () => {
  const before = createLinkSigner({ secret: 'the old secret, also long enough to be one' });
  const after = createLinkSigner({ secret, previous: 'the old secret, also long enough to be one' });
  assert.equal(after.verifyOpen(before.openTrackingId(5))?.emailId, 5);
  assert.deepEqual(after.verify('form', before.sign('form', ['x'])), ['x']);
  assert.equal(before.verifyOpen(after.openTrackingId(5)), null);
  assert.equal(after.openTrackingId(5, madeAt), signer.openTrackingId(5, madeAt));
  assert.equal(signer.verifyOpen(before.openTrackingId(5)), null);
});

test('an unsubscribe token speaks for a contact or for a bare address', () => {
  const contact = { tenantId: 'default', emailId: 12, contactId: 34, address: null, madeAt };
  const bare = { tenantId: 'acme-1', emailId: 12, contactId: null, address: 'Ann+x@example.org', madeAt };
  assert.deepEqual(signer.verifyUnsubscribe(signer.unsubscribeToken(contact)), contact);
  assert.deepEqual(signer.verifyUnsubscribe(signer.unsubscribeToken(bare)), bare);
  assert.match(signer.unsubscribeToken(bare), /^[\w-]+$/);
  // As earlier releases made them.
  const earlier = { ...contact, madeAt: null };
  assert.deepEqual(signer.verifyUnsubscribe(signer.sign('unsubscribe', ['default', '12', '34'])), earlier);
  const earlierBare = signer.sign('unsubscribe', ['acme-1', '12', '', bare.address]);
  assert.deepEqual(signer.verifyUnsubscribe(earlierBare), { ...bare, madeAt: null });
});

test('the token of a web view says when it was made; those of earlier releases do not', () => {
  for (const emailId of [1, 255, 256, 2 ** 40]) {
    assert.deepEqual(signer.verifyView(signer.viewToken(emailId, madeAt)), { emailId, madeAt });
    assert.deepEqual(signer.verifyView(signer.emailToken('view', emailId)), { emailId, madeAt: null });
  }
  assert.equal(signer.verifyView(signer.emailToken('message', 7)), null);
});

test('what is not an id is refused before it is signed', () => {
  for (const bad of [0, -1, 1.5, Number.NaN, 2 ** 53]) assert.throws(() => signer.openTrackingId(bad), RangeError);
});

test('the links of a mail, below the public address', () => {
  for (const publicUrl of ['https://mail.example.com', 'https://mail.example.com/']) {
    const links = createEmailLinks({ publicUrl, signer });
    assert.match(links.openUrl(5), /^https:\/\/mail\.example\.com\/api\/v1\/emails\/tracking\/open\/[\w-]+$/);
    const link = trackableLink("https://example.com/a?b=c&d='e'");
    assert.ok(link);
    const click = new URL(links.clickUrl(5, link));
    assert.equal(click.searchParams.get('url'), "https://example.com/a?b=c&d='e'");
    assert.doesNotMatch(click.href, /['"<>\s]/);
    const named = signer.verifyClick(click.pathname.split('/').pop() ?? '', click.searchParams.get('url') ?? '');
    assert.equal(named?.emailId, 5);
    const optOut = links.unsubscribeUrl({ tenantId: 'default', emailId: 5, contactId: 6 });
    assert.equal(links.isOptOut(optOut), true);
    assert.equal(links.isOptOut('https://example.com/api/v1/emails/unsubscribe/x'), false);
    assert.equal(signer.verifyUnsubscribe(optOut.split('/').pop() ?? '')?.contactId, 6);
  }
});

test('only http and https links are tracked, as what may stand in a Location header', () => {
  for (const href of [
    'mailto:a@example.com',
    'tel:+123',
    '#top',
    'cid:x',
    'javascript:alert(1)',
    'JavaScript:x',
    '//evil.example',
    '/a',
    '',
    'http:',
    'https://',
    'data:x',
    'ftp://a',
  ]) {
    assert.equal(trackableLink(href), null, href);
  }
  const urlOf = (href: string): string | undefined => trackableLink(href)?.url;
  assert.equal(urlOf('https://example.com'), 'https://example.com');
  assert.equal(urlOf(' HTTPS://Example.com/%7Ea?x=%20 \n'), 'HTTPS://Example.com/%7Ea?x=%20');
  assert.equal(urlOf('https://example.com/ü b'), 'https://example.com/%C3%BC%20b');
  assert.equal(urlOf('https://example.com/\r\nSet-Cookie: a=b'), 'https://example.com/Set-Cookie:%20a=b');
  assert.equal(urlOf('https://bücher.example/'), 'https://xn--bcher-kva.example/');
  assert.equal(trackableLink(`https://example.com/${'x'.repeat(7000)}`), null);
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string(), (url, tail) => {
      const link = trackableLink(url + tail);
      if (!link) return;
      assert.match(link.url, /^[\x21-\x7e]+$/);
      assert.equal(decodeURIComponent(link.query), link.url);
    }),
  );
});

test('a token ends with the HMAC-SHA256 of what it says, as others compute it', () => {
  const secret = 'x'.repeat(40);
  const signer = createLinkSigner({ secret });
  const key = Buffer.from(hkdfSync('sha256', secret, 'perennial', 'links/click', 32));
  for (const [id, url] of [
    [1, 'https://example.com/'],
    [2 ** 40, `https://example.com/ü?${'a'.repeat(5000)}`],
  ] as const) {
    const token = Buffer.from(signer.clickTrackingId(id, url), 'base64url');
    const body = token.subarray(0, -16);
    const whole = createHmac('sha256', key)
      .update(Buffer.of(body.length >> 8, body.length & 255))
      .update(body)
      .update(url)
      .digest();
    assert.deepEqual(token.subarray(-16), whole.subarray(0, 16));
  }
});
