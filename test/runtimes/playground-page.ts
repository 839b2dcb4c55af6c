import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { inject, onTestFinished } from 'vitest';

import { createBackend, pageHeaders } from '../../playground/server/backend.ts';
import { referenceGateway } from '../../playground/server/gateway.ts';
import { eventually } from '../support/eventually.ts';
import { handleNodeRequest } from '../support/node-adapter.ts';
import { launches } from './browsers.ts';
import { serveFolder, startServer } from './page-server.ts';

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Finds a dependency of the playground. */
const resolve = (name: string) =>
  createRequire(resolvePath('../../playground/package.json')).resolve(name);

/** Launches a browser. */
export async function launchBrowser(kind: keyof typeof launches): Promise<any> {
  const playwright = (await import(resolve('playwright-core'))).default;
  const options = launches[kind];
  // Playwright cannot emulate media features in this Firefox, so that one has a preference for less motion.
  const firefoxUserPrefs = { 'ui.prefersReducedMotion': 1 };
  return playwright[kind].launch(kind === 'firefox' ? { ...options, firefoxUserPrefs } : options);
}

/** Runs `npm run playground` for one test on a free port, and returns its URL. */
export async function startPlayground(env: Record<string, string> = {}): Promise<string> {
  const args = [
    '--import',
    resolvePath('../from-source.ts'),
    resolvePath('../../playground/start.ts'),
  ];
  const { POLYGATE_BASE_URL: _, POLYGATE_API_KEY: __, ...rest } = process.env;
  const child = spawn(process.execPath, args, {
    env: { ...rest, PORT: '0', NODE_ENV: 'development', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += String(part);
  });
  return eventually(() => {
    const address = /Playground +(\S+)/.exec(output)?.[1];
    if (address === undefined) throw new Error(`The playground does not start: ${output}`);
    return address;
  }, 110_000);
}

/** Serves the built page for one test, with a reference gateway that works faster, and returns its URL. */
export async function servePlayground(): Promise<string> {
  const files = serveFolder(pathToFileURL(`${inject('playground')}/`));
  const { port, close } = await startServer((incoming, outgoing) => {
    const handle = backend(incoming.url ?? '/');
    if (handle !== undefined) return void handleNodeRequest(handle, incoming, outgoing);
    outgoing.setHeaders(new Headers(pageHeaders));
    // As on the server, the page that ends an identity check is the same page.
    if (incoming.url?.startsWith('/verified')) incoming.url = '/';
    return files(incoming, outgoing);
  });
  onTestFinished(close);
  const url = `http://127.0.0.1:${port}/`;
  const speed = { latencyMs: 100, chunkDelayMs: 40, tasks: { durationMs: 2_000 } };
  const backend = createBackend(referenceGateway(url.slice(0, -1), speed), port);
  return url;
}

export const noMedia = {
  colorScheme: null,
  contrast: null,
  forcedColors: null,
  reducedMotion: null,
};

/** Opens the playground in a new browser context and records its traffic and errors. */
export async function openPage(browser: any, url: string, options: Record<string, unknown> = {}) {
  const isFirefox = browser.browserType().name() === 'firefox';
  const media = isFirefox ? noMedia : { reducedMotion: 'reduce' };
  const context = await browser.newContext({ ...media, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const traffic: string[] = [];
  const problems: string[] = [];
  page.on('pageerror', ({ message }: Error) => {
    // The AI SDK tries to generate code, which the page's policy prevents. Firefox reports that as an error.
    if (!message.includes('unsafe-eval')) problems.push(message);
  });
  page.on('console', (message: any) => traffic.push(message.text()));
  page.on('request', async (request: any) => {
    traffic.push(request.url(), request.postData() ?? '');
    traffic.push(JSON.stringify(await request.allHeaders().catch(() => '')));
  });
  page.on('response', async (response: any) => {
    traffic.push(JSON.stringify(await response.allHeaders().catch(() => '')));
    traffic.push(await response.text().catch(() => ''));
  });
  await page.goto(new URL('#chat', url).href);
  const go = (view: string) => page.evaluate(`location.hash = '${view}'`);
  await page.getByRole('option', { name: 'aurora-chat' }).waitFor({ state: 'attached' });
  return { page, go, traffic, problems };
}

/** Returns serious and critical accessibility violations. */
export async function findBarriers(page: any): Promise<string[]> {
  const axe = await readFile(resolve('axe-core/axe.min.js'), 'utf8');
  const { violations } = await page.evaluate(`${axe}; axe.run({ resultTypes: ['violations'] })`);
  return violations
    .filter(({ impact }: any) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }: any) => `${id}: ${nodes[0].target}`);
}

/** Whether anything requires horizontal scrolling. */
export const overflows = (page: any): Promise<boolean> =>
  page.evaluate(
    `[document.documentElement, ...document.querySelectorAll('.content, .control, .thread-box')]
      .some((box) => box.scrollWidth > box.clientWidth)`,
  );
