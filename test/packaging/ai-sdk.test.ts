import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { build } from 'esbuild';
import { beforeAll, describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const peers = ['@ai-sdk/provider@4.0.38', '@ai-sdk/openai-compatible@3.0.92'];

let app: string;

beforeAll(async () => {
  app = await createApp('ai-sdk-provider', [inject('tarball'), 'ai@7.0.173', ...peers]);
});

/** Bundles a program for a page, and returns the modules in the bundle and the imports that are left in it. */
async function bundle(contents: string, resolveDir: string) {
  const { metafile } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    metafile: true,
    write: false,
    outdir: resolveDir,
    absWorkingDir: resolveDir,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return { modules: Object.keys(metafile.inputs), imports };
}

describe('an app with the AI SDK, polygate and its two peers', () => {
  test('generates text and images on Node, and reports failures once', async () => {
    await addFixture(app, 'ai-sdk-provider.mjs');
    expect(JSON.parse(await run('node', ['ai-sdk-provider.mjs'], app))).toEqual({
      text: expect.stringContaining('You said: Hello'),
      chargeUsd: expect.any(Number),
      images: 2,
      operation: expect.objectContaining({ v: 1, kind: 'video' }),
      truncated: [true],
      finishReason: 'error',
      failure: { name: 'ServerError', outcome: 'unknown' },
      charges: 5,
    });
  });

  test('bundles for a page without Node.js modules', async () => {
    const program = `
      import { streamText } from 'ai';
      import { createPolygate } from 'polygate/ai-sdk';
      const polygate = createPolygate({ apiKey: null, baseURL: '/api/gateway' });
      console.log(streamText({ model: polygate('aurora-chat'), prompt: 'Hi' }));
    `;
    const { modules, imports } = await bundle(program, app);
    expect(modules.some((path) => path.endsWith('polygate/dist/ai-sdk.js'))).toBe(true);
    expect(imports).toEqual([]);
  });

  test('compiles', async () => {
    await addFixture(app, 'ai-sdk-consumer.ts');
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', 'dom'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      noEmit: true,
      skipLibCheck: true,
    };
    const files = ['ai-sdk-consumer.ts'];
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const tools = await createApp('ai-sdk-typescript', ['typescript@6.0.3']);
    const compiler = join(tools, 'node_modules', '.bin', 'tsc');
    expect(await run(compiler, ['--project', 'tsconfig.json'], app)).toBe('');
  });
});

describe('an app without the peers', () => {
  let plain: string;
  beforeAll(async () => {
    plain = await createApp('without-peers', [inject('tarball')]);
  });

  test('loads every other entry', async () => {
    const entries = ['', '/chat', '/proxy', '/journal', '/node', '/mock', '/mock/node'];
    const program = entries.map((entry) => `await import('polygate${entry}');`).join('');
    expect(await run('node', ['--input-type=module', '--eval', program], plain)).toBe('');
    const load = (entry: string) =>
      run('node', ['--input-type=module', '--eval', `import '${entry}'`], plain);
    await expect(load('polygate/ai-sdk')).rejects.toThrow("Cannot find package '@ai-sdk/provider'");
    await expect(load('polygate/bullmq')).rejects.toThrow(
      /Cannot find package '(?:bullmq|ioredis)'/,
    );
    await expect(load('polygate/otel')).rejects.toThrow("Cannot find package '@opentelemetry/api'");
  });

  test('bundles the root entry without the other entries that need peers', async () => {
    const { modules } = await bundle("export * from 'polygate';", plain);
    expect(
      modules.filter((path) => /ai-sdk|bullmq|ioredis|otel\.js|opentelemetry/.test(path)),
    ).toEqual([]);
    expect(modules.some((path) => path.endsWith('polygate/dist/index.js'))).toBe(true);
  });
});
