/**
 * Bundles the built client with Metro, the bundler of React Native and Expo, and runs the bundle in an engine that has
 * only the globals of an Expo app: no `crypto`, `URL.parse`, `navigator.locks`, `localStorage` or `BroadcastChannel`.
 */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';

import Metro from 'metro';

import { createMockGateway } from '../../dist/mock/index.js';
import { listen } from '../../dist/mock/node.js';
import { createProxyHandler } from '../../dist/proxy/index.js';

const folder = import.meta.dirname;
const root = join(folder, '../..');
const out = join(folder, 'app.bundle.js');

const config = await Metro.loadConfig(
  { cwd: folder },
  {
    projectRoot: folder,
    watchFolders: [root],
    maxWorkers: 1,
    reporter: { update: () => undefined },
    resolver: {
      extraNodeModules: { polygate: root },
      nodeModulesPaths: [join(root, 'node_modules')],
      unstable_conditionNames: ['react-native', 'import', 'require'],
    },
    transformer: {
      // As in the configurations of React Native and Expo.
      asyncRequireModulePath: fileURLToPath(
        import.meta.resolve('metro-runtime/src/modules/asyncRequire'),
      ),
      getTransformOptions: async () => ({ transform: { experimentalImportSupport: true } }),
    },
  },
);
await Metro.runBuild(config, { entry: 'app.js', out, dev: false, minify: true, platform: 'ios' });
const code = await readFile(out, 'utf8');
await rm(out);

/** `URL` as Expo has it. */
class ExpoURL extends URL {}
Object.assign(ExpoURL, { parse: undefined });

const mock = createMockGateway({ tasks: { durationMs: 50 } });
const gateway = await listen(mock);
const handle = createProxyHandler({
  apiKey: mock.apiKey,
  baseURL: gateway.baseURL,
  authorize: () => 'ann',
});
const context = createContext({
  AbortController,
  AbortSignal,
  TextDecoder,
  TextEncoder,
  URL: ExpoURL,
  URLSearchParams,
  clearTimeout,
  console,
  fetch: (url: string, init: RequestInit) => handle(new Request(url, init)),
  setTimeout,
});
try {
  runInContext(code, context);
  const options = JSON.stringify({ baseURL: 'https://app.example/api/gateway' });
  const report: unknown = await runInContext(`run(${options})`, context);
  const { text, ...rest } = JSON.parse(JSON.stringify(report));
  assert.match(text, /^You said: Describe a harbor\./);
  assert.deepEqual(rest, {
    urls: 1,
    failed: 'BadRequestError rejected',
    hooks: ['useBudget', 'useChat', 'useGeneration', 'useModels', 'useSpend'],
  });
  assert.equal(mock.invoice.length, 2);
  console.log(`Metro bundled ${code.length} bytes, which ran without polyfills.`);
} finally {
  await gateway.close();
}
