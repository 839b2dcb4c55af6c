import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { createApp } from './app.ts';
import { run } from './run.ts';

interface Manifest {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
}
interface Lock {
  packages: Record<string, { hasInstallScript?: boolean }>;
}

let app: string;
let files: string[];

beforeAll(async () => {
  app = await createApp('files', [inject('tarball')]);
  files = (await run('tar', ['-tzf', inject('tarball')], app)).trim().split('\n').toSorted();
});

const json = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(app, 'node_modules', path), 'utf8'));

describe('the packed package', () => {
  test('contains exactly these files', () => {
    // The names of chunks contain a content hash.
    const names = files.map((name) =>
      name
        .replace(/(playground\/assets\/).+/, '$1*')
        .replace(/-(?!the-plug)[\w-]{8}(?=\.(js|d\.ts))/, '-*'),
    );
    expect([...new Set(names)]).toMatchInlineSnapshot(`
      [
        "package/CHANGELOG.md",
        "package/LICENSE",
        "package/README.md",
        "package/dist/ai-sdk.d.ts",
        "package/dist/ai-sdk.js",
        "package/dist/ai-sdk.js.map",
        "package/dist/all.d.ts",
        "package/dist/all.js",
        "package/dist/all.js.map",
        "package/dist/bullmq.d.ts",
        "package/dist/bullmq.js",
        "package/dist/bullmq.js.map",
        "package/dist/chat-*.js",
        "package/dist/chat-*.js.map",
        "package/dist/chat.d.ts",
        "package/dist/chat.js",
        "package/dist/chat.js.map",
        "package/dist/chunk-*.js",
        "package/dist/chunk-*.js.map",
        "package/dist/cli.js",
        "package/dist/cli.js.map",
        "package/dist/client/batch.js",
        "package/dist/client/batch.js.map",
        "package/dist/client/body-errors.js",
        "package/dist/client/body-errors.js.map",
        "package/dist/client/call-budget.js",
        "package/dist/client/call-budget.js.map",
        "package/dist/client/chat.js",
        "package/dist/client/chat.js.map",
        "package/dist/client/download.js",
        "package/dist/client/download.js.map",
        "package/dist/client/errors.js",
        "package/dist/client/errors.js.map",
        "package/dist/client/finish-reason.js",
        "package/dist/client/finish-reason.js.map",
        "package/dist/client/index.js",
        "package/dist/client/index.js.map",
        "package/dist/client/internal.js",
        "package/dist/client/internal.js.map",
        "package/dist/client/journal-line.js",
        "package/dist/client/journal-line.js.map",
        "package/dist/client/ky-transport.js",
        "package/dist/client/ky-transport.js.map",
        "package/dist/client/media-check.js",
        "package/dist/client/media-check.js.map",
        "package/dist/client/poll-decisions.js",
        "package/dist/client/poll-decisions.js.map",
        "package/dist/client/price-list.js",
        "package/dist/client/price-list.js.map",
        "package/dist/client/prices.js",
        "package/dist/client/prices.js.map",
        "package/dist/client/read-stream.js",
        "package/dist/client/read-stream.js.map",
        "package/dist/client/reading.js",
        "package/dist/client/reading.js.map",
        "package/dist/client/recover.js",
        "package/dist/client/recover.js.map",
        "package/dist/client/refused-signal.js",
        "package/dist/client/refused-signal.js.map",
        "package/dist/client/reservations.js",
        "package/dist/client/reservations.js.map",
        "package/dist/client/response-details.js",
        "package/dist/client/response-details.js.map",
        "package/dist/client/restate-charge.js",
        "package/dist/client/restate-charge.js.map",
        "package/dist/client/rolldown-runtime.js",
        "package/dist/client/run-rows.js",
        "package/dist/client/run-rows.js.map",
        "package/dist/client/send-fetch.js",
        "package/dist/client/send-fetch.js.map",
        "package/dist/client/send-to-models.js",
        "package/dist/client/send-to-models.js.map",
        "package/dist/client/sent-calls.js",
        "package/dist/client/sent-calls.js.map",
        "package/dist/client/structured-output.js",
        "package/dist/client/structured-output.js.map",
        "package/dist/client/task-failed.js",
        "package/dist/client/task-failed.js.map",
        "package/dist/client/tool-arguments.js",
        "package/dist/client/tool-arguments.js.map",
        "package/dist/client/tool-run.js",
        "package/dist/client/tool-run.js.map",
        "package/dist/client/unread-body.js",
        "package/dist/client/unread-body.js.map",
        "package/dist/client/wait-steps.js",
        "package/dist/client/wait-steps.js.map",
        "package/dist/command-*.js",
        "package/dist/command-*.js.map",
        "package/dist/completion-*.js",
        "package/dist/completion-*.js.map",
        "package/dist/doctor.d.ts",
        "package/dist/doctor.js",
        "package/dist/doctor.js.map",
        "package/dist/gateway-*.d.ts",
        "package/dist/generate-*.js",
        "package/dist/generate-*.js.map",
        "package/dist/index.d.ts",
        "package/dist/index.js",
        "package/dist/init-*.js",
        "package/dist/init-*.js.map",
        "package/dist/journal.d.ts",
        "package/dist/journal.js",
        "package/dist/journal.js.map",
        "package/dist/look-up-*.js",
        "package/dist/look-up-*.js.map",
        "package/dist/mcp-*.js",
        "package/dist/mcp-*.js.map",
        "package/dist/mock/cli.js",
        "package/dist/mock/cli.js.map",
        "package/dist/mock/csv-parse.LICENSE",
        "package/dist/mock/fflate.LICENSE",
        "package/dist/mock/hono.LICENSE",
        "package/dist/mock/index.d.ts",
        "package/dist/mock/index.js",
        "package/dist/mock/index.js.map",
        "package/dist/mock/msw.d.ts",
        "package/dist/mock/msw.js",
        "package/dist/mock/msw.js.map",
        "package/dist/mock/node.d.ts",
        "package/dist/mock/node.js",
        "package/dist/mock/node.js.map",
        "package/dist/mock/yocto-spinner.LICENSE",
        "package/dist/mock/yoctocolors.LICENSE",
        "package/dist/node.d.ts",
        "package/dist/node.js",
        "package/dist/node.js.map",
        "package/dist/otel.d.ts",
        "package/dist/otel.js",
        "package/dist/otel.js.map",
        "package/dist/param-schemas-*.js",
        "package/dist/param-schemas-*.js.map",
        "package/dist/playground-*.js",
        "package/dist/playground-*.js.map",
        "package/dist/playground/LICENSES.md",
        "package/dist/playground/assets/*",
        "package/dist/playground/index.html",
        "package/dist/playground/pull-the-plug.js",
        "package/dist/proxy/chunk-*.js",
        "package/dist/proxy/chunk-*.js.map",
        "package/dist/proxy/index.d.ts",
        "package/dist/proxy/index.js",
        "package/dist/proxy/index.js.map",
        "package/dist/proxy/redis.d.ts",
        "package/dist/proxy/redis.js",
        "package/dist/proxy/redis.js.map",
        "package/dist/proxy/store-*.d.ts",
        "package/dist/proxy/testing.d.ts",
        "package/dist/proxy/testing.js",
        "package/dist/proxy/testing.js.map",
        "package/dist/react.d.ts",
        "package/dist/react.js",
        "package/dist/react.js.map",
        "package/dist/schemas.d.ts",
        "package/dist/schemas.js",
        "package/dist/schemas.js.map",
        "package/dist/serve-*.js",
        "package/dist/serve-*.js.map",
        "package/dist/task-*.js",
        "package/dist/task-*.js.map",
        "package/dist/task-handle-*.d.ts",
        "package/dist/types-*.js",
        "package/dist/types-*.js.map",
        "package/package.json",
        "package/skills/polygate/SKILL.md",
      ]
    `);
  });

  test('contains no path of the build machine', async () => {
    for (const name of files.filter((file) => !file.endsWith('/'))) {
      const text = await readFile(join(app, 'node_modules', name.replace('package', 'polygate')));
      expect([name, text.includes(process.cwd())]).toEqual([name, false]);
    }
  });

  test('has three dependencies, which have none of their own', async () => {
    const installed = await readdir(join(app, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.')).toSorted()).toEqual([
      'eventsource-parser',
      'ky',
      'polygate',
      'zod',
    ]);
    const { dependencies } = (await json('polygate/package.json')) as Manifest;
    expect(Object.keys(dependencies)).toEqual(['eventsource-parser', 'ky', 'zod']);
  });

  test('has a manifest that npm publish does not correct', async () => {
    const manifest = await json('polygate/package.json');
    // `npm publish` makes the same corrections, with no more than a warning.
    await run('npm', ['pkg', 'fix'], join(app, 'node_modules', 'polygate'));
    expect(await json('polygate/package.json')).toEqual(manifest);
  });

  test('has no install scripts, and neither do its dependencies', async () => {
    const { scripts } = (await json('polygate/package.json')) as Manifest;
    expect(Object.keys(scripts).filter((name) => /install|prepare$/.test(name))).toEqual([]);
    expect(files.filter((name) => name.endsWith('.gyp'))).toEqual([]);
    const { packages } = (await json('.package-lock.json')) as Lock;
    expect(Object.values(packages).filter((entry) => entry.hasInstallScript)).toEqual([]);
  });
});
