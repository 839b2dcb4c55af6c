/** Which files a page of the packed package loads, and what happens if one cannot be loaded, in Chromium. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';

import { createApp } from '../packaging/app.ts';
import { launches } from './browsers.ts';
import { startServer } from './page-server.ts';

let mock: any;
let gateway: any;
let browser: any;
let site: { port: number; close: () => void };
let page: any;
/** The scripts that the page has requested since the last look. */
let requested: string[];
/** The scripts that the site does not deliver, and the status of its response; without a status, it never responds. */
let missing: { file: RegExp; status?: number } | undefined;

/** The files of a bundle, by the path at which the site has them. */
async function bundle(app: string, entry: string, folder: string, splitting: boolean) {
  const { outputFiles } = await build({
    entryPoints: [join(app, `${entry}.js`)],
    outdir: app,
    bundle: true,
    splitting,
    format: 'esm',
    write: false,
  });
  return outputFiles.map(({ path, text }) => [path.replace(/.*\//, `/${folder}/`), text] as const);
}

beforeAll(async () => {
  const app = await createApp('first-load', [inject('tarball'), 'playwright-core@1.61.1']);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  mock = createMockGateway({ tasks: { durationMs: 20 } });
  gateway = await listen(mock, { cors: true });
  // In this repository, the name of the package is that of its sources.
  for (const name of ['first-load.js', 'first-load-all.js']) {
    await copyFile(new URL(name, import.meta.url), join(app, name));
  }
  const scripts = new Map([
    ...(await bundle(app, 'first-load', 'split', true)),
    ...(await bundle(app, 'first-load-all', 'all', true)),
    ...(await bundle(app, 'first-load', 'single', false)),
  ]);
  site = await startServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    const script = scripts.get(path);
    if (script === undefined) {
      outgoing.setHeader('content-type', 'text/html');
      return void outgoing.end('<!doctype html><title>First load</title>');
    }
    requested.push(path);
    const isMissing = missing?.file.test(path) ?? false;
    if (isMissing && missing?.status === undefined) return undefined;
    outgoing.writeHead(isMissing ? (missing?.status ?? 0) : 200, {
      'content-type': 'text/javascript',
      'service-worker-allowed': '/',
    });
    return void outgoing.end(isMissing ? '' : script);
  });
  const { default: playwright } = await load('playwright-core/index.js');
  browser = await playwright.chromium.launch(launches.chromium);
});

afterAll(async () => {
  await browser?.close();
  site?.close();
  await gateway?.close();
});

beforeEach(async () => {
  requested = [];
  missing = undefined;
  mock.clearRecords();
  page = await (await browser.newContext()).newPage();
  await page.goto(`http://127.0.0.1:${site.port}`);
});

const clientOptions = () => ({
  apiKey: mock.apiKey,
  baseURL: gateway.baseURL,
  model: 'aurora-chat',
  maxRetries: 0,
  // Results have the address of the gateway.
  allowInsecureBaseURL: true,
});

/** Opens the page of the split bundle. */
async function open(): Promise<void> {
  await page.evaluate(
    `import('/split/first-load.js').then(({ call }) => (globalThis.call = call))`,
  );
  requested = [];
}

/** Makes a call in the page, and returns its result, or the fields of its error. */
async function call(name: string, receipt?: unknown, options: object = {}): Promise<any> {
  const args = [name, { ...clientOptions(), receipt }, options].map((arg) => JSON.stringify(arg));
  return page.evaluate(`call(${args.join(', ')})`);
}

const chunkOf = {
  stream: /reading/,
  fetch: /send-fetch/,
  batch: /\/batch/,
  hooks: /ky-transport/,
  submit: /wait/,
};
const cases = Object.entries(chunkOf);

describe('a page', () => {
  beforeEach(open);

  test('loads nothing more for a completion', async () => {
    expect(await call('create')).toEqual({ result: expect.any(String) });
    expect(requested).toEqual([]);
  });

  test.each(cases)('%s loads its file when it is first used, and only then', async (name, file) => {
    expect(await call(name)).toEqual({ result: expect.anything() });
    expect(requested.filter((path) => file.test(path))).toHaveLength(1);
    requested = [];
    expect(await call(name)).toEqual({ result: expect.anything() });
    expect(requested).toEqual([]);
  });

  test.each(cases.flatMap(([name, file]) => [404, 500].map((status) => ({ name, file, status }))))(
    '$name sends nothing if its file is missing with status $status, and works once it is there',
    async ({ name, file, status }) => {
      missing = { file, status };
      expect(await call(name)).toMatchObject({
        error: 'ConnectionError',
        outcome: 'not-sent',
        message: expect.stringMatching(
          /^A part of polygate could not be loaded: .+ Nothing was sent\.$/,
        ),
      });
      expect(mock.requests).toEqual([]);
      expect(await call('create')).toEqual({ result: expect.any(String) });
      missing = undefined;
      expect(await call(name)).toEqual({ result: expect.anything() });
    },
  );

  test.each(cases.filter(([name]) => !['fetch', 'batch'].includes(name)))(
    '%s does not wait longer than its timeout for its file, and sends nothing',
    async (name, file) => {
      missing = { file };
      expect(await call(name, undefined, { timeout: 200 })).toMatchObject({
        error: 'RequestTimeoutError',
        outcome: 'not-sent',
      });
      expect(mock.requests).toEqual([]);
    },
  );

  test.each(cases)(
    '%s can be aborted while its file loads, and sends nothing',
    async (name, file) => {
      missing = { file };
      expect(await call(name, undefined, { abortAfter: 200 })).toMatchObject({
        // As in `fetch` itself, the error is named like the reason of the signal.
        error: name === 'fetch' ? 'TimeoutError' : 'AbortedError',
        outcome: 'not-sent',
      });
      expect(mock.requests).toEqual([]);
    },
  );

  test.each([
    ['wait', /wait/, 'succeeded'],
    ['download', /download/, 200],
  ])(
    'keeps a task that was paid for if the file of %s is missing, and continues with it later',
    async (name, file, result) => {
      const { result: text } = await call('submit');
      const receipt = JSON.parse(text);
      // As after a reload, when nothing is loaded.
      await page.reload();
      await open();
      missing = { file, status: 404 };
      expect(await call(name, receipt)).toMatchObject({
        error: 'ConnectionError',
        outcome: 'not-sent',
        task: receipt.id,
        message: expect.stringContaining(`Task ${receipt.id} is not lost.`),
      });
      missing = undefined;
      expect(await call('wait', receipt)).toEqual({ result: 'succeeded' });
      expect(await call(name, receipt)).toEqual({ result });
      expect(mock.requests.filter(({ method }: any) => method === 'POST')).toHaveLength(1);
    },
  );
});

describe('a service worker', () => {
  /** Registers a script, and makes a call in it. */
  async function callInWorker(script: string, name: string): Promise<any> {
    const args = JSON.stringify([name, clientOptions()]);
    return page.evaluate(`(async () => {
      await navigator.serviceWorker.register('${script}', { type: 'module', scope: '/' });
      const { active } = await navigator.serviceWorker.ready;
      const { port1, port2 } = new MessageChannel();
      const response = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
      active.postMessage(${args}, [port2]);
      return response;
    })()`);
  }

  test.each(cases)('that is bundled into one file can %s', async (name) => {
    expect(await callInWorker('/single/first-load.js', name)).toEqual({
      result: expect.anything(),
    });
  });

  test.each(cases)('that consists of several files can %s with polygate/all', async (name) => {
    expect(await callInWorker('/all/first-load-all.js', name)).toEqual({
      result: expect.anything(),
    });
  });

  test('that consists of several files learns that nothing was sent without polygate/all', async () => {
    expect(await callInWorker('/split/first-load.js', 'stream')).toMatchObject({
      error: 'ConnectionError',
      outcome: 'not-sent',
      message: expect.stringContaining('import() is disallowed on ServiceWorkerGlobalScope'),
    });
    expect(mock.requests).toEqual([]);
    expect(await callInWorker('/split/first-load.js', 'create')).toEqual({
      result: expect.any(String),
    });
  });
});
