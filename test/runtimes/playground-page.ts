import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { launches } from './browsers.ts';

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Finds a dependency of the playground. */
const resolve = (name: string) =>
  createRequire(resolvePath('../../playground/package.json')).resolve(name);

/** Launches a browser, after the playground has installed Playwright and axe. */
export async function launchBrowser(kind: keyof typeof launches): Promise<any> {
  await (await startPlayground()).close();
  const playwright = (await import(resolve('playwright-core'))).default;
  const options = launches[kind];
  // Playwright cannot emulate media features in this Firefox, so that one has a preference for less motion.
  const firefoxUserPrefs = { 'ui.prefersReducedMotion': 1 };
  return playwright[kind].launch(kind === 'firefox' ? { ...options, firefoxUserPrefs } : options);
}

/** Runs `npm run playground` on a free port. */
async function startPlayground(env: Record<string, string> = {}) {
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
  const close = async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  };
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += String(part);
  });
  const url = await eventually(() => {
    const address = /Playground +(\S+)/.exec(output)?.[1];
    if (address === undefined) throw new Error(`The playground does not start: ${output}`);
    return address;
  }, 110_000);
  return { url, close };
}

/** Starts a playground for one test and returns its URL. */
export async function servePlayground(env?: Record<string, string>): Promise<string> {
  const { url, close } = await startPlayground(env);
  onTestFinished(close);
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
  const { violations } = await page.evaluate(`${axe}; axe.run()`);
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
