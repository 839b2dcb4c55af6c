import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';

import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { Polygate } from 'polygate';
import type * as MockModule from 'polygate/mock';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Globals of browsers that are not part of the language. A page has no others of Node.js. */
const webGlobals = {
  AbortController,
  AbortSignal,
  Blob,
  btoa,
  atob,
  clearTimeout,
  crypto,
  DOMException,
  FormData,
  Headers,
  performance,
  queueMicrotask,
  ReadableStream,
  Request,
  Response,
  setTimeout,
  structuredClone,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
};

async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build({
    bundle: true,
    write: false,
    target: 'es2023',
    absWorkingDir: root,
    logLevel: 'silent',
    ...options,
  });
  return outputFiles[0]?.text ?? '';
}

test('polygate/mock, as it is built for the package, is bundled for a page and generates an image there', async () => {
  // As in tsup.config.ts.
  const built = await bundle({
    entryPoints: ['src/mock/index.ts'],
    platform: 'node',
    format: 'esm',
    external: ['polygate', 'zod'],
  });
  const script = await bundle({
    stdin: { contents: built, resolveDir: root },
    platform: 'browser',
    format: 'iife',
    globalName: 'mockModule',
  });
  const page = createContext({ ...webGlobals, ArrayBuffer, Uint8Array, Error, TypeError });
  runInContext(script, page);
  const { createMockGateway }: typeof MockModule = runInContext('mockModule', page);
  const { apiKey, baseURL, fetch } = createMockGateway({ tasks: { durationMs: 0 } });
  const gateway = new Polygate({ apiKey, baseURL, fetch, maxRetries: 0 });
  const image = await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
  const file = Buffer.from(await (await fetch(image.urls[0])).arrayBuffer());
  expect(file.toString('latin1', 1, 4)).toBe('PNG');
});
