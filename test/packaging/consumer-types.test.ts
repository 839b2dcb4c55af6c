import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const entries = [
  'polygate',
  'polygate/chat',
  'polygate/journal',
  'polygate/node',
  'polygate/proxy',
  'polygate/mock',
  'polygate/mock/node',
];

const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'preserve', moduleResolution: 'bundler' };

const withoutDom = { lib: ['es2023'], types: ['node'] };

const settings = [
  { name: 'nodenext', options: nodenext },
  {
    name: 'nodenext with exact optional properties',
    options: { ...nodenext, exactOptionalPropertyTypes: true },
  },
  { name: 'bundler', options: bundler },
  { name: 'nodenext without DOM types', options: { ...nodenext, ...withoutDom } },
  { name: 'bundler without DOM types', options: { ...bundler, ...withoutDom } },
];

let app: string;

beforeAll(async () => {
  app = await createApp('types', [inject('tarball'), '@types/node@24.19.2']);
  await addFixture(app, 'consumer.ts');
  // The same program as a CommonJS module: Node.js can require packages of ES modules.
  await copyFile(join(app, 'consumer.ts'), join(app, 'consumer.cts'));
  await writeFile(join(app, 'values.ts'), await valuesProgram());
});

describe.each(['5.9.3', '6.0.3', '7.0.2'])('with TypeScript %s', (version) => {
  let compiler: string;

  beforeAll(async () => {
    const tools = await createApp(`typescript-${version}`, [`typescript@${version}`]);
    compiler = join(tools, 'node_modules', '.bin', 'tsc');
  });

  test.each(settings)('a program compiles with $name', async ({ options }) => {
    const tsconfig = {
      compilerOptions: {
        target: 'es2023',
        lib: ['es2023', 'dom'],
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        ...options,
      },
      files: ['consumer.ts', 'consumer.cts', 'values.ts'],
    };
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify(tsconfig));
    expect(await run(compiler, ['--project', 'tsconfig.json'], app)).toBe('');
  });
});

/** A program that compiles only if the types of each entry point declare exactly the values that it exports. */
async function valuesProgram(): Promise<string> {
  const parts = entries.map(async (entry, index) => {
    const print = `console.log(JSON.stringify(Object.keys(await import('${entry}'))))`;
    const names = await run('node', ['--input-type=module', '--eval', print], app);
    return `
      import * as entry${index} from '${entry}';
      type Declared${index} = keyof typeof entry${index};
      type Actual${index} = (typeof actual${index})[number];
      const actual${index} = ${names.trim()} as const;
      export const missing${index}: Exclude<Actual${index}, Declared${index}>[] = [];
      export const absent${index}: Declared${index} extends Actual${index} ? true : false = true;
    `;
  });
  return (await Promise.all(parts)).join('\n');
}
