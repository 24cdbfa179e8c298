import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { readMailboxUrl } from '../../../worker/bounces/mailbox-url.ts';

test("a mailbox's URL: names and folders are decoded, its name holds no password, TLS is a must beyond loopback", () => {
  const { name, folder, connection } = readMailboxUrl(
    'imaps://bounces%40example.com:p%2Fw%40@imap.example.com/INBOX/Bounces',
  );
  assert.deepEqual([name, folder], ['bounces@example.com@imap.example.com:993/INBOX/Bounces', 'INBOX/Bounces']);
  assert.deepEqual(connection, {
    host: 'imap.example.com',
    port: 993,
    secure: true,
    doSTARTTLS: undefined,
    auth: { user: 'bounces@example.com', pass: 'p/w@' },
  });
  const tls = (url: string) => {
    const {
      connection: { host, port, secure, doSTARTTLS },
      folder: at,
    } = readMailboxUrl(url);
    return [host, port, secure, doSTARTTLS, at];
  };
  assert.deepEqual(tls('imap://u:p@imap.example.com'), ['imap.example.com', 143, false, true, 'INBOX']);
  assert.deepEqual(tls('imap://u:p@127.0.0.1:1143/'), ['127.0.0.1', 1143, false, undefined, 'INBOX']);
  assert.deepEqual(tls('imap://u:p@[::1]:1143/'), ['::1', 1143, false, undefined, 'INBOX']);
  assert.deepEqual(tls('imap://u:p@127.0.0.1.example.com/'), ['127.0.0.1.example.com', 143, false, true, 'INBOX']);
});
