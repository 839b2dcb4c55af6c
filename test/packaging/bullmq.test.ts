import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const peers = ['bullmq@6.7.0', 'ioredis@5.11.1'];

let app: string;

beforeAll(async () => {
  app = await createApp('bullmq', [inject('tarball'), ...peers, '@types/node@24.19.2']);
});

const evaluate = (program: string) => run('node', ['--input-type=module', '--eval', program], app);

describe('an app with BullMQ, ioredis and polygate', () => {
  test('gets errors of the classes that polygate exports', async () => {
    const program = `
      import { ConfigurationError, Polygate } from 'polygate';
      import { GenerationQueue } from 'polygate/bullmq';
      const gateway = new Polygate({ apiKey: 'k', baseURL: 'http://127.0.0.1:9' });
      try {
        new GenerationQueue('', { gateway, connection: {} });
      } catch (error) {
        console.log(error instanceof ConfigurationError);
      }
    `;
    expect(await evaluate(program)).toBe('true\n');
  });

  test('loads on the oldest supported version of Node', async () => {
    const runtime = await createApp('bullmq-node', ['node@20.19.0']);
    const node = join(runtime, 'node_modules', 'node', 'bin', 'node');
    const program = `
      const { GenerationQueue } = await import('polygate/bullmq');
      console.log(process.version, typeof GenerationQueue);
    `;
    const options = ['--input-type=module', '--eval', program];
    expect(await run(node, options, app)).toBe('v20.19.0 function\n');
  });

  test('does not load BullMQ with the client', async () => {
    const program = `
      import { registerHooks } from 'node:module';
      registerHooks({
        load(url, context, nextLoad) {
          if (/node_modules\\/(bullmq|ioredis)\\//.test(url)) console.log(url);
          return nextLoad(url, context);
        },
      });
      await import('polygate');
    `;
    expect(await evaluate(program)).toBe('');
  });

  test('compiles', async () => {
    await addFixture(app, 'bullmq-consumer.ts');
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      noEmit: true,
      skipLibCheck: true,
    };
    const files = ['bullmq-consumer.ts'];
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const tools = await createApp('bullmq-typescript', ['typescript@6.0.3']);
    const compiler = join(tools, 'node_modules', '.bin', 'tsc');
    expect(await run(compiler, ['--project', 'tsconfig.json'], app)).toBe('');
  });
});
