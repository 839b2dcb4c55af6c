import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { bundled, openPage } from './page-server.ts';
import type { Runtime } from './runtimes.ts';

const intranet = 'intranet.example';

/** How to start Debian's browsers so that a host name that is not `localhost` is this machine too. */
const launches = {
  chromium: {
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${intranet} 127.0.0.1`],
  },
  firefox: {
    executablePath: '/usr/bin/firefox-esr',
    // By the standard protocol, which Mozilla's own builds speak.
    channel: 'moz-firefox',
    firefoxUserPrefs: { 'network.dns.localDomains': intranet },
  },
};

/**
 * Opens a page in a browser and has it do the scenario: by itself where the page is at home on this machine, and through
 * the proxy where it comes from another host by plain http, with what browsers take from such pages.
 */
export function launchIn(
  kind: keyof typeof launches,
  host: '127.0.0.1' | typeof intranet,
): Runtime['launch'] {
  return async ({ app, apiKey, baseURL }) => {
    const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
    const { createProxyHandler } = await load('polygate/dist/proxy/index.js');
    const playwright = (await load('playwright-core/index.js')).default;
    const handler = createProxyHandler({ apiKey, baseURL, authorize: () => 'ann' });
    const server = await openPage(await bundled('tab.js', app), handler);
    const browser = await playwright[kind].launch(launches[kind]);
    const options =
      host === intranet
        ? { apiKey: null, baseURL: '/api/gateway' }
        : { apiKey, baseURL, dangerouslyAllowBrowser: true };
    const printed: string[] = [];
    try {
      const page = await (await browser.newContext({ viewport: null })).newPage();
      page.on('console', (message: any) => printed.push(message.text()));
      page.on('pageerror', (error: unknown) => printed.push(String(error)));
      await page.goto(`http://${host}:${server.port}`);
      const script = `Promise.race([
        scenario(${JSON.stringify(options)}),
        new Promise((_, reject) => setTimeout(() => reject(new Error('It takes too long')), 60_000)),
      ]).then((report) => ({ ...report, isSecureContext }))`;
      return { version: browser.version(), report: await page.evaluate(script) };
    } catch (error) {
      throw new Error(`${kind}: ${String(error)}\nIt printed:\n${printed.join('\n')}`, {
        cause: error,
      });
    } finally {
      await browser.close();
      server.close();
    }
  };
}
