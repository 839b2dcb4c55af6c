import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { onTestFinished } from 'vitest';

import { search } from '../../docs/.vitepress/search.ts';
import { serveFolder, startServer } from './page-server.ts';
import { noMedia } from './playground-page.ts';

const root = new URL('../../', import.meta.url);
const dist = new URL('docs/.vitepress/dist/', root);

/** Opens the built site in Chromium. */
export async function openSite() {
  // Playwright and axe are dependencies of the playground.
  const { resolve } = createRequire(new URL('playground/package.json', root));
  const axe = readFileSync(resolve('axe-core/axe.min.js'), 'utf8');
  const { chromium } = (await import(resolve('playwright-core'))).default;
  const browser: any = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const { port, close: closeServer } = await startServer(serveFolder(dist));
  const origin = `http://127.0.0.1:${port}`;
  const requested = new Set<string>();

  /** Opens a page in a new browser context, and records its errors and what it requests. */
  const openPage = async (
    path: string,
    options: Record<string, unknown> = {},
    opened: any = browser,
  ) => {
    const media = opened === browser ? { reducedMotion: 'reduce' } : noMedia;
    const context = await opened.newContext({ ...media, ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error: Error) => problems.push(error.message));
    page.on('response', (response: any) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    const requests: string[] = [];
    page.on('request', (request: any) => {
      requested.add(new URL(request.url()).origin);
      requests.push(new URL(request.url()).pathname);
    });
    await page.goto(origin + path, { waitUntil: 'networkidle' });
    return { page, problems, requests };
  };

  /** Returns all accessibility violations. */
  const findBarriers = async (page: any): Promise<string[]> => {
    const { violations } = await page.evaluate(`${axe}; axe.run({ resultTypes: ['violations'] })`);
    return violations.flatMap(({ id, nodes }: any) =>
      nodes.map(({ target }: any) => `${id}: ${target}`),
    );
  };

  const close = async () => {
    closeServer();
    await browser.close();
  };
  return { browser, origin, requested, openPage, findBarriers, close };
}

/** The paths of all pages. */
export const sitePages = () =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .map((path) => `/${path}`);

/** Loads the search index of the built site. Returns the results for some words, and the addresses of all entries. */
export async function loadSearch() {
  const folder = new URL('assets/chunks/', dist);
  const name = readdirSync(folder).find((file) => file.startsWith('@localSearchIndex')) ?? '';
  const { default: json } = await import(new URL(name, folder).href);
  const ofVitePress = createRequire(createRequire(import.meta.url).resolve('vitepress'));
  const module = pathToFileURL(ofVitePress.resolve('minisearch')).href;
  const { default: MiniSearch } = await import(module);
  const { options, searchOptions } = search.options?.miniSearch ?? {};
  const fields = ['title', 'titles', 'text'];
  const storeFields = ['title', 'titles'];
  const index: any = MiniSearch.loadJSON(json, { fields, storeFields, searchOptions, ...options });
  const entries: string[] = Object.values(JSON.parse(json).documentIds);
  const find = (words: string): { id: string; titles: string[] }[] => index.search(words);
  return { entries, find };
}
