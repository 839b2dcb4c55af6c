import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { bundle, servePage } from './page-server.ts';
import type { Runtime } from './runtime.ts';

const intranet = 'intranet.example';

/** Launch options for Debian's browsers, which also map a host name other than `localhost` to this machine. */
export const launches = {
  chromium: {
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${intranet} 127.0.0.1`],
  },
  firefox: {
    executablePath: '/usr/bin/firefox-esr',
    // WebDriver BiDi, because Mozilla's own builds do not support Playwright's protocol.
    channel: 'moz-firefox',
    firefoxUserPrefs: { 'network.dns.localDomains': intranet },
  },
};

/**
 * Runs the scenario in a browser page. A page on loopback uses the gateway directly. A page on another host over plain
 * http uses the proxy; browsers do not give such pages every API.
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
    const server = await servePage(await bundle('tab.js', app), handler);
    const browser = await playwright[kind].launch(launches[kind]);
    const options =
      host === intranet
        ? { apiKey: null, baseURL: '/api/gateway' }
        : { apiKey, baseURL, dangerouslyAllowBrowser: true };
    const output: string[] = [];
    try {
      const page = await (await browser.newContext({ viewport: null })).newPage();
      page.on('console', (message: any) => output.push(message.text()));
      page.on('pageerror', (error: unknown) => output.push(String(error)));
      await page.goto(`http://${host}:${server.port}`);
      const script = `Promise.race([
        scenario(${JSON.stringify(options)}),
        new Promise((_, reject) => setTimeout(() => reject(new Error('The scenario timed out')), 60_000)),
      ]).then((report) => ({ ...report, isSecureContext }))`;
      return { version: browser.version(), report: await page.evaluate(script) };
    } catch (error) {
      throw new Error(`${kind}: ${String(error)}\nOutput:\n${output.join('\n')}`, {
        cause: error,
      });
    } finally {
      await browser.close();
      server.close();
    }
  };
}
