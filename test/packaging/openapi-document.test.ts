import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test, vi } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const linter = '@redocly/cli@2.77.0';
const generator = '@hey-api/openapi-ts@0.99.0';
const validator = '@stoplight/prism-cli@5.14.2';
const typeGenerator = 'openapi-typescript@7.13.0';

let app: string;

beforeAll(async () => {
  vi.stubEnv('REDOCLY_TELEMETRY', 'off');
  app = await createApp('openapi', [inject('tarball'), linter, generator, 'typescript@6.0.3']);
  await addFixture(app, 'openapi-document.mjs');
  await writeFile(join(app, 'openapi.json'), await run('node', ['openapi-document.mjs'], app));
});

test('the OpenAPI document passes a strict linter without warnings', async () => {
  const strict = ['lint', 'openapi.json', '--extends=recommended-strict', '--format=json'];
  const { totals, problems } = JSON.parse(await run(tool('redocly'), strict, app));
  expect(problems).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

test('a client generated from the document compiles in strict mode and works over a socket', async () => {
  await addFixture(app, 'generated-client.mjs');
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify(tsconfig));
  await run(tool('openapi-ts'), ['--input', 'openapi.json', '--output', 'client'], app);
  expect(await run(tool('tsc'), ['--project', 'tsconfig.json'], app)).toBe('');
  expect(JSON.parse(await run('node', ['built/generated-client.mjs'], app))).toEqual({
    usd: 1000,
    models: 'list',
    completion: expect.stringMatching(/\S/),
    charged: expect.stringMatching(/^\d+\.?\d*$/),
    video: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/media\//),
    voices: expect.arrayContaining(['system']),
    material: 'processing',
    rejected: [400, 'model_not_found'],
    unknown: [404, 'task_not_found'],
  });
});

describe('with tools that need TypeScript 5,', () => {
  let toolsApp: string;
  beforeAll(async () => {
    const packages = [inject('tarball'), validator, typeGenerator, 'typescript@5.9.3'];
    toolsApp = await createApp('openapi-tools', packages);
    await copyFile(join(app, 'openapi.json'), join(toolsApp, 'openapi.json'));
  });

  test('a validating proxy accepts completions, event streams and every kind of API key', async () => {
    await addFixture(toolsApp, 'openapi-validator.mjs');
    expect(JSON.parse(await run('node', ['openapi-validator.mjs'], toolsApp))).toEqual({
      completion: [200],
      stream: [200],
      models: [200],
      anthropicModels: [200],
      geminiModels: [200],
      geminiModelsByQuery: [200],
      modelsWithoutKey: [401, 'Invalid security scheme used'],
    });
  });

  test('in generated types, request fields with a default are optional', async () => {
    await writeFile(join(toolsApp, 'types.ts'), typeTest);
    const bin = (name: string) => join(toolsApp, 'node_modules', '.bin', name);
    await run(bin('openapi-typescript'), ['openapi.json', '--output', 'openapi.d.ts'], toolsApp);
    const strict = ['--strict', '--noEmit', '--module', 'nodenext'];
    expect(await run(bin('tsc'), [...strict, 'types.ts'], toolsApp)).toBe('');
  });
});

const typeTest = `
import type { components, paths } from './openapi.js';

type Request = components['schemas']['ChatCompletionRequest'];
export const request: Request = {
  model: 'aurora-chat',
  messages: [{ role: 'user', content: 'Hello' }],
};
export const query: paths['/v1/materials']['get']['parameters']['query'] = {};

// @ts-expect-error: the messages are missing
export const invalid: Request = { model: 'aurora-chat' };

type Content = paths['/v1/chat/completions']['post']['responses'][200]['content'];
export const stream: Content['text/event-stream'] = 'data: [DONE]';
`;

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    allowJs: true,
    checkJs: true,
    rootDir: '.',
    outDir: 'built',
  },
  include: ['client', 'generated-client.mjs'],
};

function tool(name: string): string {
  return join(app, 'node_modules', '.bin', name);
}
