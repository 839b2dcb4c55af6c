import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import type { MockGateway } from 'polygate/mock';
import { inject } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { createApp } from '../packaging/app.ts';
import { handleNodeRequest } from '../support/node-adapter.ts';
import { startServer } from './page-server.ts';

/** A site with the React hooks, in front of the reference gateway. */
export interface HooksSite {
  mock: MockGateway;
  url: string;
  playwright: any;
  /** How long the proxy takes for each request, before and after it is forwarded, in ms. */
  delays: { before: number; after: number };
  /** Keeps back the responses to polls until the function that it returns is called. */
  holdPolls: () => () => void;
  close: () => Promise<void>;
}

/** Installs the packed package with a version of React, and serves a page that was rendered on the server. */
export async function startHooksSite(name: string, react: string): Promise<HooksSite> {
  const packages = [`react@${react}`, `react-dom@${react}`, 'playwright-core@1.61.1'];
  const app = await createApp(name, [inject('tarball'), ...packages]);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { createProxyHandler } = await load('polygate/dist/proxy/index.js');

  const mock: MockGateway = createMockGateway({ tasks: { durationMs: 120 }, chunkDelayMs: 5 });
  const gateway = await listen(mock);
  const delays = { before: 0, after: 0 };
  let polls = Promise.resolve();
  const proxy = createProxyHandler({
    apiKey: mock.apiKey,
    baseURL: gateway.baseURL,
    authorize: () => 'ann',
    limits: { usd: 100 },
    budgetPath: '/api/gateway/budget',
  });
  const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
  const handler = async (request: Request): Promise<Response> => {
    if (delays.before > 0) await pause(delays.before);
    const response = await proxy(request);
    if (delays.after > 0) await pause(delays.after);
    if (/images\/(tasks|generations)\//.test(request.url)) await polls;
    return response;
  };

  const server = join(app, 'server.mjs');
  await writeFile(server, await bundle('hooks-server.js', app, 'node'));
  const { html } = await import(pathToFileURL(server).href);
  const script = await bundle('hooks-page.js', app, 'browser');
  const { port, close } = await startServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/api/')) {
      return void handleNodeRequest(handler, incoming, outgoing);
    }
    const isScript = incoming.url === '/page.js';
    outgoing.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    const head = '<meta charset="utf-8"><title>Hooks</title>';
    const page = `<!doctype html><html lang="en"><head>${head}<script type="module" src="/page.js"></script></head><body>${html()}</body></html>`;
    return void outgoing.end(isScript ? script : page);
  });
  return {
    mock,
    url: `http://127.0.0.1:${port}`,
    playwright: (await load('playwright-core/index.js')).default,
    delays,
    holdPolls: () => {
      let release = () => {};
      polls = new Promise((resolve) => (release = resolve));
      return () => release();
    },
    close: async () => {
      close();
      await gateway.close();
    },
  };
}

/** The version of React that the repository uses. */
export const installedReact = manifest.devDependencies.react;

/** Bundles a script with the packages of the app, and the development build of React, which reports problems. */
async function bundle(script: string, app: string, platform: 'node' | 'browser'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL(script, import.meta.url).pathname],
    nodePaths: [join(app, 'node_modules')],
    define: { 'process.env.NODE_ENV': '"development"' },
    // React's server build uses `require` of Node's modules.
    banner:
      platform === 'node'
        ? {
            js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
          }
        : {},
    platform,
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
