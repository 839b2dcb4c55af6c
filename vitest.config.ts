import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

const include = ['{test,examples}/**/*.test.ts'];
const exclude = ['**/node_modules/**', 'test/packaging/**', 'test/runtimes/**', 'test/long/**'];
/** Files that change their process, for example to imitate a browser. Each runs in a process of its own. */
const isolated = '**/*.isolated.test.ts';

/** Tests of the client. They run with and without hooks, which use different transports. */
const ofClient = 'test/{client,errors,integrations/{journal,node},resources,security,wire}';
const withHooks = [
  { find: /^\.\/client\.ts$/, replacement: source('../test/support/hooked-client.ts') },
];

/**
 * The tests that create clients without a `fetch` of their own. All others never send through `nodeFetch`, which the run with
 * hooks checks.
 */
const overNodeFetch = globSync(`${ofClient}/**/*.test.ts`, { cwd: import.meta.dirname }).filter(
  (file) =>
    /new Polygate\(|createServer|byte-script|served-gateway/.test(
      readFileSync(new URL(file, import.meta.url), 'utf8'),
    ),
);

const withNodeFetch = [
  { find: /^\.\/client\.ts$/, replacement: source('../test/support/node-fetch-client.ts') },
];

/** Spreads the tests of queues among the others. They wait most of the time, and together would leave the processors idle. */
class QueuesSpread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- It is that of the sequencer, not of an array.
    const sorted = await super.sort(files);
    const isQueue = ({ moduleId }: TestSpecification) => moduleId.includes('/bullmq/');
    const queues = sorted.filter(isQueue);
    const others = sorted.filter((file) => !isQueue(file));
    const perQueue = Math.max(1, Math.floor(others.length / queues.length));
    return others
      .flatMap((file, index) => (index % perQueue === 0 ? [...queues.splice(0, 1), file] : [file]))
      .concat(queues);
  }
}

export default defineConfig({
  resolve: {
    // Resolves the package's own name to its sources, so that examples and tests need no build.
    alias: [
      { find: /^polygate$/, replacement: source('index.ts') },
      { find: /^polygate\/chat$/, replacement: source('chat.ts') },
      { find: /^polygate\/all$/, replacement: source('all.ts') },
      { find: /^polygate\/doctor$/, replacement: source('tools/doctor/index.ts') },
      { find: /^polygate\/ai-sdk$/, replacement: source('integrations/ai-sdk/index.ts') },
      { find: /^polygate\/bullmq$/, replacement: source('integrations/bullmq/index.ts') },
      { find: /^polygate\/proxy$/, replacement: source('integrations/proxy/index.ts') },
      {
        find: /^polygate\/proxy\/redis$/,
        replacement: source('integrations/proxy/redis/index.ts'),
      },
      {
        find: /^polygate\/proxy\/testing$/,
        replacement: source('integrations/proxy/testing/index.ts'),
      },
      { find: /^polygate\/journal$/, replacement: source('integrations/journal/index.ts') },
      { find: /^polygate\/node$/, replacement: source('integrations/node/index.ts') },
      { find: /^polygate\/otel$/, replacement: source('integrations/otel/index.ts') },
      { find: /^polygate\/schemas$/, replacement: source('wire/schemas/index.ts') },
      { find: /^polygate\/react$/, replacement: source('integrations/react/index.ts') },
      { find: /^polygate\/mock$/, replacement: source('mock/index.ts') },
      { find: /^polygate\/mock\/node$/, replacement: source('mock/node/index.ts') },
      { find: /^polygate\/mock\/msw$/, replacement: source('mock/msw.ts') },
    ],
  },
  test: {
    environment: 'node',
    provide: { transport: 'fetch' },
    sequence: { sequencer: QueuesSpread },
    // More than cores, because the tests of queues and sockets wait most of the time.
    maxWorkers: availableParallelism() + 2,
    // Most of what a test creates lives shortly, so larger collections of it are fewer and cheaper.
    execArgv: ['--max-semi-space-size=64'],
    // A busy machine can take ten times as long as a quiet one. A test that hangs still fails.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      exclude: ['**/node_modules/**', 'src/tools/cli/**'],
    },
    projects: [
      {
        // Evaluates modules once per worker instead of once per file.
        extends: true,
        test: {
          name: 'shared',
          include,
          exclude: [...exclude, isolated],
          isolate: false,
          setupFiles: 'test/support/unchanged-process.ts',
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: [`test/${isolated}`], exclude },
      },
      {
        extends: true,
        resolve: { alias: withHooks },
        test: {
          name: 'shared with hooks',
          provide: { transport: 'ky', overNodeFetch },
          include: [`${ofClient}/**/*.test.ts`],
          exclude: [...exclude, isolated],
          isolate: false,
          setupFiles: ['test/support/unchanged-process.ts', 'test/support/over-node-fetch.ts'],
        },
      },
      {
        extends: true,
        resolve: { alias: withHooks },
        test: {
          name: 'isolated with hooks',
          provide: { transport: 'ky' },
          include: [`${ofClient}/${isolated}`],
        },
      },
      {
        extends: true,
        resolve: { alias: withNodeFetch },
        test: {
          name: 'shared over nodeFetch',
          include: overNodeFetch,
          exclude: [...exclude, isolated],
          isolate: false,
          setupFiles: 'test/support/unchanged-process.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            // The checks come after all tests. TypeScript 7 needs a third of the time, and has no API for the other uses.
            checker: 'tsgo',
            include: ['test/types/**/*.test-d.ts'],
            tsconfig: 'test/types/tsconfig.json',
          },
        },
      },
    ],
  },
});
