import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';

export interface SitePage {
  body: string;
  lang?: string;
  dir?: 'ltr' | 'rtl';
  /** More of the head. */
  head?: string;
  /** Instead of the strict policy, or more of it. */
  policy?: string;
  morePolicy?: string;
}

/** A website of somebody else, with a strict Content-Security-Policy, which embeds forms of the service. */
export interface Site {
  origin: string;
  /** Puts a page at a path and returns its URL. */
  put: (path: string, page: SitePage) => string;
  close: () => Promise<void>;
}

/** Starts a website that trusts the service at `serviceUrl` with scripts and connections, and nothing else. */
export async function startSite(serviceUrl: string): Promise<Site> {
  const strict = `default-src 'none'; script-src ${serviceUrl}; connect-src ${serviceUrl}; require-trusted-types-for 'script'`;
  const pages = new Map<string, SitePage>();
  const server = createServer((request, response) => {
    const page = pages.get(new URL(request.url!, 'http://site').pathname);
    if (!page) return void response.writeHead(page === undefined ? 404 : 200).end();
    const { body, lang = 'en', dir = 'ltr', head = '', policy = strict, morePolicy } = page;
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': morePolicy ? `${policy}; ${morePolicy}` : policy,
    });
    response.end(
      `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    put(path, page) {
      pages.set(path, page);
      return origin + path;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A visitor's browser window, which notes what policies forbade and what failed in scripts. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Violations of policies, and errors of scripts. */
  complaints: string[];
  /** Opens a page and waits for its form. */
  open: (url: string) => Promise<void>;
  /** Fails if a policy was violated, a script failed, or the page has a serious accessibility problem. */
  checkPage: () => Promise<void>;
  /** With SCREENSHOTS=<folder>: pictures of the page as a desktop and a phone show it. */
  picture: (name: string) => Promise<void>;
  close: () => Promise<void>;
}

export const hasFocus = async (element: Locator): Promise<boolean> =>
  (await element.and(element.page().locator(':focus')).count()) === 1;

const WIDTHS = [1280, 390];

export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: WIDTHS[0]!, height: 800 }, locale: 'en', ...options });
  const complaints: string[] = [];
  await context.exposeFunction('noteViolation', (what: string) => complaints.push(what));
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => noteViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`,
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  return {
    page,
    context,
    complaints,
    async open(url) {
      await page.goto(url);
      await page.locator('form').first().waitFor();
    },
    async checkPage() {
      assert.deepEqual(complaints, []);
      for (const frame of page.frames()) {
        await frame.evaluate(axe.source);
        const { violations } = await frame.evaluate<{
          violations: { id: string; impact: string; nodes: { target: unknown; failureSummary: string }[] }[];
        }>('axe.run({ resultTypes: ["violations"] })');
        const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        assert.deepEqual(
          grave.flatMap(({ id, nodes }) =>
            nodes.map((node) => `${id}: ${String(node.target)}: ${node.failureSummary}`),
          ),
          [],
        );
      }
      // What axe itself does.
      complaints.length = 0;
    },
    async picture(name) {
      if (!process.env.SCREENSHOTS) return;
      const before = page.viewportSize()!;
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}-${width}.png`), fullPage: true });
      }
      await page.setViewportSize(before);
    },
    close: () => context.close(),
  };
}

/** Sends the form of an English page. */
export const press = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
export const thanked = (page: Page) => page.getByText('Thank you.').waitFor();
