import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import type { Service } from '../../../dev/service.ts';
import { startMail } from '../../../dev/stack/mail.ts';
import { startChromium } from '../../support/forms/chromium.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { until } from '../../support/until.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a link of an email in the mail catcher opens in a new tab, where it may do what pages do', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-catcher-'));
  const [port, pagePort] = [await freePort(), await freePort()];
  const catcher: Service = await startMail({ dataDir, port, pagePort });
  onTestFinished(() => catcher.stop());
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  // As our pages are: no frame may show them, and they work by a form.
  const site = createServer((request, response) => {
    const body = request.method === 'POST' ? '<h1>Done</h1>' : '<form method="post"><button>Confirm</button></form>';
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': "frame-ancestors 'none'" });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/confirm?token=x`;
  const mailer = createTransport(`smtp://127.0.0.1:${port}`);
  await mailer.sendMail({
    from: 'a@example.com',
    to: 'b@example.com',
    subject: 'Please confirm',
    html: `<p><a href="${url}"><b>Confirm here</b></a></p>`,
  });
  mailer.close();

  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const address = `http://127.0.0.1:${pagePort}/`;
  await until('the page is there', () =>
    fetch(address, { headers: { accept: 'text/html' } }).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  await page.goto(address);
  await page.getByText('Please confirm').first().click();
  const opened = page.context().waitForEvent('page');
  await page.frameLocator('iframe').getByText('Confirm here').click();
  const tab = await opened;
  await tab.getByRole('button', { name: 'Confirm' }).click();
  await tab.getByRole('heading', { name: 'Done' }).waitFor();
  assert.equal(tab.url(), url);
  assert.equal(page.url().startsWith(address), true, 'the email stays where it is');
});
