import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import { listen } from '../../src/mock/node/index.ts';
import type { MockServer } from '../../src/mock/node/index.ts';
import { createApp } from './app.ts';
import { run } from './run.ts';

const program = `
import { customModel, Polygate } from 'polygate';
import { imageParams } from 'polygate/schemas';

const gateway = new Polygate();
const messages = [{ role: 'user' as const, content: 'Hi' }];
export const calls = (body: unknown) => [
  gateway.images.generate({ model: 'prism-image', prompt: 'p', resolution: '2k' }),
  gateway.images.generate({ model: customModel('new-image'), image: 'https://a.example' }),
  gateway.images.generate(imageParams.parse(body)),
  gateway.videos.submit({ model: 'tide-video', content: [] }),
  gateway.audio.speech.submit({ model: 'echo-speech', input: 'Hi' }),
  gateway.chat.completions.stream({ model: 'aurora-chat', messages }),
  // @ts-expect-error the id is misspelled
  gateway.images.generate({ model: 'prism-imgae', prompt: 'p' }),
  // @ts-expect-error an image model makes no videos
  gateway.videos.submit({ model: 'prism-image', prompt: 'p' }),
  // @ts-expect-error an image model is no chat model
  gateway.chat.completions.create({ model: 'prism-image', messages }),
];
`;

const configuration = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
  },
  files: ['program.ts', 'polygate.models.d.ts'],
};

let app: string;
let server: MockServer;

beforeAll(async () => {
  app = await createApp('typed-models', [inject('tarball')]);
  const mock = createMockGateway();
  server = await listen(mock);
  const command = join(app, 'node_modules', '.bin', 'polygate');
  const account = ['--base-url', server.baseURL, '--api-key', mock.apiKey];
  await run(command, ['types', ...account], app);
  await writeFile(join(app, 'program.ts'), program);
});
afterAll(() => server.close());

async function compile(version: string, options: object): Promise<string> {
  const tools = await createApp(`typed-models-${version}`, [`typescript@${version}`]);
  const { compilerOptions } = configuration;
  const project = { ...configuration, compilerOptions: { ...compilerOptions, ...options } };
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify(project));
  return run(join(tools, 'node_modules', '.bin', 'tsc'), ['--project', 'tsconfig.json'], app);
}

describe('the models of a key', () => {
  // docs/typed-models.md names 5.7, and 5.0 with skipLibCheck.
  test.each(['5.7.3', '5.9.3', '6.0.3', '7.0.2'])(
    'are checked by TypeScript %s, together with the types of the package',
    async (version) => {
      expect(await compile(version, { skipLibCheck: false })).toBe('');
    },
  );

  test('are checked by TypeScript 5.0 if it skips the types of packages', async () => {
    expect(await compile('5.0.4', { skipLibCheck: true })).toBe('');
  });
});
