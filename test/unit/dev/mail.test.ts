import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { startMail } from '../../../dev/mail/mail.ts';
import { freePorts } from '../../../dev/ports.ts';
import type { Service } from '../../../dev/service.ts';
import { tempDir } from './temp-dir.ts';

const dataDir = tempDir();
let port: number;
let pagePort: number;
let catcher: Service;

before(async () => {
  [port, pagePort] = (await freePorts(2)) as [number, number];
  catcher = await startMail({ dataDir, port, pagePort });
});
after(() => catcher.stop());

const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${pagePort}${path}`, { method });
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const json = async (path: string): Promise<any> => (await get(path)).json();
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

test('it shows what came: envelope, headers, HTML, text, source, attachments', async () => {
  const transport = createTransport({ host: '127.0.0.1', port });
  await transport.sendMail({
    envelope: { from: 'bounces@example.com', to: ['ada@example.com', 'hidden@example.com'] },
    from: 'Perennial <hello@example.com>', to: 'Ada <ada@example.com>', subject: 'Grüße', text: 'Hello Ada',
    html: '<html><head><title>x</title></head><body>Hello <a href="https://www.example.com/">Ada</a> <img src="cid:dot"></body></html>',
    attachments: [{ filename: 'dot.gif', content: PIXEL, cid: 'dot' }, { filename: 'page.html', content: '<script>1</script>' }],
  });
  await transport.sendMail({ from: 'hello@example.com', to: 'bo@example.com', subject: 'Second', text: '.\nOnly text' });
  const { total, mails } = await json('/api/mails');
  assert.deepEqual([total, mails[0].subject, mails[1].subject, mails[1].from, mails[1].to, mails[1].attachments], [2, 'Second', 'Grüße', 'Perennial <hello@example.com>', ['Ada <ada@example.com>'], 2]);
  assert.deepEqual((await json('/api/mails?order=oldest&skip=1&limit=1')).mails, [mails[0]]);
  assert.deepEqual((await json(`/api/mails?search=${encodeURIComponent('GRÜSSE'.replace('SS', 'ß'))}`)).mails, [mails[1]]);
  assert.deepEqual(await json('/api/mails?search=nobody'), { total: 0, mails: [] });

  const { id } = mails[1];
  const mail = await json(`/api/mails/${id}`);
  const header = (name: string) => mail.headers.filter((it: { name: string }) => it.name === name).map((it: { value: string }) => it.value);
  assert.deepEqual([header('Return-Path'), header('Delivered-To')], [['<bounces@example.com>'], ['ada@example.com', 'hidden@example.com']]);
  assert.equal(mail.text.trim(), 'Hello Ada');
  const html = await get(`/api/mails/${id}/html`);
  assert.equal(await html.text(), `<html><head><base target="_blank"><title>x</title></head><body>Hello <a href="https://www.example.com/">Ada</a> <img src="/api/mails/${id}/attachments/0"></body></html>\n`);
  assert.match(html.headers.get('content-security-policy') ?? '', /^default-src 'none'.*; sandbox allow-popups/);
  const dot = await get(`/api/mails/${id}/attachments/0`);
  assert.deepEqual([dot.headers.get('content-type'), Buffer.from(await dot.arrayBuffer())], ['image/gif', PIXEL]);
  const page = await get(`/api/mails/${id}/attachments/1`);
  assert.deepEqual([page.headers.get('content-type'), page.headers.get('content-disposition')], ['application/octet-stream', "attachment; filename*=UTF-8''page.html"]);
  assert.match(await (await get(`/api/mails/${mails[0].id}/source`)).text(), /^Return-Path: <hello@example\.com>\r\nDelivered-To: bo@example\.com\r\n.*\r\n\r\n\.\r?\nOnly text\r\n$/s);
  assert.match(await (await get('/')).text(), /<title>Caught mail<\/title>/);
});

test('mails survive a restart, in their order; what is deleted stays away', async () => {
  const before = (await json('/api/mails')).mails;
  await catcher.stop();
  catcher = await startMail({ dataDir, port, pagePort });
  assert.deepEqual((await json('/api/mails')).mails.map((mail: { id: string }) => mail.id), before.map((mail: { id: string }) => mail.id));
  assert.equal((await get(`/api/mails/${before[0].id}`, 'DELETE')).status, 200);
  assert.equal((await get(`/api/mails/${before[0].id}`)).status, 404);
  assert.equal((await json('/api/mails')).total, 1);
  assert.equal((await get('/api/mails', 'DELETE')).status, 200);
  await catcher.stop();
  catcher = await startMail({ dataDir, port, pagePort });
  assert.equal((await json('/api/mails')).total, 0);
});

test('an id that is none leads to no file', async () => {
  for (const path of ['/api/mails/..%2F..%2Fsecrets', '/api/mails/nothing/source', '/api/other', '/nothing']) assert.equal((await get(path)).status, 404, path);
  assert.equal((await get('/api/mails', 'POST')).status, 405);
});
