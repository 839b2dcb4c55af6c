import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

import * as aiSdk from '@ai-sdk/provider';
import * as polygate from 'polygate';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import { startRedis } from '../../examples/support/redis.ts';
import { compile } from './compile.ts';
import { anchorsOf, guides, root, snippetsOf } from './guides.ts';
import { runPrograms } from './run-programs.ts';
import type { Result } from './run-programs.ts';

vi.stubEnv('POLYGATE_LOG', 'off');

const snippets = guides.flatMap((guide) => snippetsOf(guide));

/** Expected output of programs run against a fresh reference gateway. A program not listed may print anything. */
const printed: Readonly<Record<string, RegExp>> = {
  'README.md: Quick start': /^You said: "?Say hello.*\nhttp:\S+\.svg\S* total: 0\.02\d+ USD\n$/,
  'README.md: Streaming': /Describe a harbour.*stop 0\.\d+\n$/,
  'README.md: Tasks': /^succeeded 100\n\[\s*'http:\S+\.mp4/,
  'README.md: Receipts': /^http:\S+\.svg/,
  'README.md: Batches': /^(\d succeeded http:\S+\n){3}$/,
  'README.md: Errors': /^$/,
  'docs/README.md: ': /^http:\S+\.svg\S* 0\.02 USD\n$/,
  'docs/quick-start.md: Generate an image': /succeeded 100\nhttp:\S+\.svg\S*\n0.02 USD so far\n$/,
  'docs/ai-sdk.md: ': /^You said: "?Say hello.* \d+ 0\.\d+\n$/,
  'docs/ai-sdk.md: Images and speech': /^2 image\/\S+ 0\.\d+\naudio\/wav\n$/,
  'docs/ai-sdk.md: Videos': /video\/mp4/,
  'docs/ai-sdk.md: Errors and truncated streams':
    /^truncated, outcome unknown\nYou said:? error\n0\.\d+\n$/,
  'docs/images-video-and-audio.md: Generate images': /^2 0\.08\n$/,
  'docs/images-video-and-audio.md: Show progress':
    /costs 0\.02 USD\n[^]*succeeded 100%\nsucceeded\n$/,
  'docs/images-video-and-audio.md: Wait in another process': /^http:\S+\.svg/,
  'docs/images-video-and-audio.md: Stop waiting': /^the user left true\n$/,
  'docs/materials.md: Register a material': /^asset:\S+ 20\S+Z\n$/,
  'docs/materials.md: Verify a real person': /^verify before 20\S+Z\navailable\n$/,
  'docs/materials.md: Verify without keeping a request open': /^true \w+\nasset:/,
  'docs/materials.md: Handle failed materials': /^failed\n$/,
  'docs/voices.md: Estimate the cost': /^1\.5039\n3\.00045\n0\.00078\n$/,
  'docs/voices.md: Recover from a lost response': /^created: voice_/,
  'docs/concurrency-and-budgets.md: Send many requests in parallel': /^30 8\n$/,
  'docs/concurrency-and-budgets.md: Share an account between processes': /^1\n$/,
  'docs/concurrency-and-budgets.md: Estimate the price of a request': /^0\.32\n0\.16\n$/,
  'docs/concurrency-and-budgets.md: Set a budget': /^0\.8 of 1\n$/,
  'docs/concurrency-and-budgets.md: Track spending': /\n0\.02 1\nprism-image 0\.02\n$/,
  'docs/assumptions.md: ': /^A1 .*\n(A\d+ .*\n){20}A22 /,
  'docs/errors.md: Handle all errors in one place': /^succeeded\n$/,
  'docs/errors.md: ConfigurationError': /^speed: must be from 0\.5 to 2\./,
  'docs/errors.md: BudgetExceededError': /^0\.04 0\.05\n$/,
  'docs/errors.md: APIError': /^418 /,
  'docs/errors.md: BadRequestError (400)': /^choose another voice\n$/,
  'docs/errors.md: AuthenticationError (401)': /^invalid_api_key\n$/,
  'docs/errors.md: PaymentRequiredError (402)': /^order-17 needs a top-up: 1000 USD/,
  'docs/errors.md: PermissionDeniedError (403)': /^api_key_disabled\n$/,
  'docs/errors.md: NotFoundError (404)': /^material_not_found\n$/,
  'docs/errors.md: ConflictError (409)': /^material_idempotency_conflict harbour\n$/,
  'docs/errors.md: UnprocessableError (422)': /^422 /,
  'docs/errors.md: RateLimitError (429)': /^retry in 90 s\n$/,
  'docs/errors.md: ConcurrencyLimitError (429)': /^rejected\n$/,
  'docs/errors.md: ServiceUnavailableError (503)': /^rejected \w+\n$/,
  'docs/errors.md: ServerError (500 and above)': /^true\n$/,
  'docs/errors.md: ConnectionError': /^unknown\n$/,
  'docs/errors.md: RequestTimeoutError': /^timed out\n$/,
  'docs/errors.md: AbortedError': /^the user left\n$/,
  'docs/errors.md: StreamTruncatedError': /truncated after \d+ characters\n$/,
  'docs/errors.md: StreamIdleTimeoutError': /^unknown\n$/,
  'docs/errors.md: StreamError': /^internal_error \w+/,
  'docs/errors.md: TaskFailedError': /^task_/,
  'docs/errors.md: TaskWaitTimeoutError': /^\{"v":1,"kind":"video"/,
  'docs/errors.md: MaterialFailedError': /^failed\n$/,
  'docs/errors.md: MaterialWaitTimeoutError': /^processing\n$/,
  'docs/errors.md: ResponseValidationError': /^200 Invalid response/,
  'docs/errors.md: StructuredOutputError': /^mismatch \[ 'name' \]\n$/,
  'docs/errors.md: ToolRoundsError': /^2 0\.\d+\n$/,
  'docs/errors.md: HookError': /^not-sent Error: The key service is down\n/,
  'docs/hooks.md: ': /^harbour-guide 200\n$/,
  'docs/hooks.md: Log requests': /^POST \/v1\/images\/tasks 202 0 \d+ ms\n$/,
  'docs/hooks.md: Add tracing headers': /^00-[\da-f]{32}-[\da-f]{16}-01\n$/,
  'docs/hooks.md: Sign requests': /^[\w+/]{43}=\n$/,
  'docs/hooks.md: Send a tenant header': /^POST ann\n(GET ann\n)+$/,
  'docs/hooks.md: Record responses in tests (2)': /^true\n0\n$/,
  'docs/hooks.md: Change requests and responses': /^true 0\.0000\d+\n$/,
  'docs/hooks.md: Handle hooks that fail': /^0\.02 succeeded 0\.02\n$/,
  'docs/hooks.md: What hooks cost': /^ann 200\n$/,
  'docs/observability.md: ': /^succeeded\n$/,
  'docs/observability.md: Write your own telemetry':
    /^POST_v1_images_tasks\.usd:0\.02\|c\nPOST_v1_images_tasks\.duration:\d+\|ms\n$/,
  'docs/observability.md: Log':
    /status 202, request id req_\w+"\}\n\{"level":30,.*: charged 0\.02 USD"\}\n$/,
  'docs/observability.md: Log (2)': /^\{"level":30,.*: charged 0\.02 USD"\}\n$/,
  'docs/many-machines.md: A first run': /^(picture-\d succeeded http:\S+\n){3}$/,
  'docs/many-machines.md: Add rows': /^not-sent\n1\n$/,
  'docs/many-machines.md: Read results': /^harbour 1\n$/,
  'docs/many-machines.md: Limit spending': /succeeded\n1 waiting, budget\n$/,
  'docs/many-machines.md: Failed rows': /^PermissionDeniedError rejected\nsucceeded\n$/,
  'docs/many-machines.md: Counts and metrics': /waiting: 0/,
  'docs/many-machines.md: Steps: Inngest, Trigger.dev and others': /^1\n$/,
  'docs/many-machines.md: A cron job': /^\[ 1, 1 \]\n$/,
  'docs/other-libraries.md: ': /^You said: .*Say hello.* 1\n$/,
  'docs/other-libraries.md: Use LangChain.js': /^You said: /,
  'docs/other-libraries.md: Use it as a plain fetch': /^202 succeeded\n$/,
  'docs/other-libraries.md: Errors': /^ConnectionError unknown\n$/,
  'docs/other-libraries.md: Idempotency keys': /^0\.02\n$/,
  'docs/other-libraries.md: Streams': /^You said:.*\(truncated\)\n$/,
  'docs/testing.md: Control time': /^running\nsucceeded\n$/,
  'docs/testing.md: Inject faults': /^stop\n2 3 1\n$/,
  'docs/testing.md: Assert on requests and charges': /^20\n[4-8]\nSet\(1\) \{ 202 \}\n$/,
  'docs/testing.md: Run the mock as an HTTP server': /^audio\/wav 1\n$/,
  'docs/testing.md: Test real-person materials': /materialStatus: 'processing'.*\nasset:/s,
};

describe('every snippet compiles', () => {
  const diagnostics = compile(snippets.map(({ file }) => file));
  test.each(snippets)('$title', ({ file }) => {
    expect(diagnostics.get(file)).toEqual([]);
  });
});

const programs = snippets.filter(({ kind }) => kind === 'program');
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;

function describePrograms(group: typeof programs): void {
  let results: Result[];
  beforeAll(async () => {
    const needsRedis = group.some(({ usesRedis }) => usesRedis);
    const stopRedis = needsRedis ? await startRedis() : undefined;
    results = await runPrograms(group);
    await stopRedis?.();
  });

  test.each(group.map(({ title }, index) => ({ title, index })))('$title', ({ title, index }) => {
    expect(results[index]).toMatchObject({ stderr: '' });
    expect(results[index]).not.toHaveProperty('thrown');
    expect(results[index]?.stdout).toMatch(printed[title] ?? /^/);
  });
}

describe('every program runs', () => {
  describePrograms(programs.filter(({ usesRedis }) => !usesRedis));
});

describe.skipIf(!hasRedis)('every program runs with Redis', () => {
  describePrograms(programs.filter(({ usesRedis }) => usesRedis));
});

test('every expected output belongs to a program', () => {
  expect(programs.map(({ title }) => title)).toEqual(expect.arrayContaining(Object.keys(printed)));
});

describe('every test passes', () => {
  describe.each(snippets.filter(({ kind }) => kind === 'tests'))('$title', async ({ file }) => {
    await import(file);
  });
});

describe.each(guides)('$path', ({ path, text }) => {
  const namesMatching = (pattern: RegExp) =>
    Array.from(new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name)));

  test('names error classes that exist', () => {
    const exists = (name: string) => [polygate, aiSdk, globalThis].some((names) => name in names);
    expect(namesMatching(/`([A-Z]\w*Error)`/g).filter((name) => !exists(name))).toEqual([]);
  });

  test('links to files and headings that exist', () => {
    const broken = namesMatching(/\]\((?!\w+:)([^)\s]+)\)/g).filter((link) => {
      const url = new URL(link, new URL(path, root));
      const anchor = url.hash.slice(1);
      url.hash = '';
      return (
        !existsSync(url) ||
        (anchor !== '' && !anchorsOf(readFileSync(url, 'utf8')).includes(anchor))
      );
    });
    expect(broken).toEqual([]);
  });

  test('names scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining(namesMatching(/npm run ([\w:]+)/g)),
    );
  });
});
