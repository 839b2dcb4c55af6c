import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { MockGateway, MockRequest } from 'polygate/mock';
import { beforeAll, describe, expect, inject, test } from 'vitest';

import { createApp } from '../packaging/app.ts';
import { eventually } from '../support/eventually.ts';
import { requiredGlobals, runBare } from './bare.ts';
import { expected } from './expected.ts';
import { runtimes } from './runtimes.ts';
import { claims, withTable } from './table.ts';
import type { Row } from './table.ts';

const guide = new URL('../../docs/runtimes.md', import.meta.url);
const chats = 'POST /v1/chat/completions';

let app: string;
const rows: Row[] = [];

beforeAll(async () => {
  const packages = new Set(runtimes.map(({ installs }) => installs));
  const telemetry = ['@opentelemetry/api@1.9.1', '@opentelemetry/sdk-trace-base@2.12.0'];
  app = await createApp('everywhere', [inject('tarball'), ...packages, ...telemetry]);
  for (const file of ['scenario.js', 'telemetry.js', 'process.js', 'require.cjs']) {
    await copyFile(new URL(file, import.meta.url), join(app, file));
  }
});

describe.each(runtimes)('$name', ({ name, kind, launch }) => {
  test('completes the scenario, and outside browsers does not resend a chat request whose response was lost', async () => {
    const { mock, baseURL, close } = await openGateway();
    try {
      const { version, report } = await launch({ app, apiKey: mock.apiKey, baseURL });
      expect(report).toEqual(expected[kind]);
      await eventually(() => expect(mock.inFlight).toBe(0));
      expect(mock.requests.map(({ path }) => path)).not.toContain('/elsewhere');
      const clients = report.behindProxy === undefined ? 2 : 3;
      const sent = (mock.requests.filter(isChat).length - 5) / clients;
      // Browsers resend a request after a reset connection, and a page cannot prevent it.
      if (kind !== 'page') expect(sent).toBe(1);
      // Each request of the scenario's hooked client, and the one whose response was lost.
      const { requests, responses } = report.hooked as Record<string, number>;
      expect(responses).toBe(requests);
      const fromHook = mock.requests.filter(
        ({ headers }) => headers['x-request-id'] === 'from-hook',
      );
      expect(fromHook.length).toBeGreaterThan(requests ?? 0);
      if (kind !== 'page') expect(fromHook).toHaveLength((requests ?? 0) + 1);
      rows.push({ name, version, report });
    } finally {
      await close();
    }
  });
});

test('a runtime with only the globals that the guide lists completes the scenario', async () => {
  const { mock, baseURL, close } = await openGateway();
  try {
    const report = await runBare(
      { app, apiKey: mock.apiKey, baseURL },
      await requiredGlobals(guide),
    );
    expect(report).toEqual(expected.bare);
  } finally {
    await close();
  }
});

test('the table in the guide matches this run', async () => {
  const text = await readFile(guide, 'utf8');
  const updated = withTable(text, rows);
  if (process.env.UPDATE) await writeFile(guide, updated);
  else
    expect(claims(text), 'UPDATE=1 npm run test:runtimes && npm run format').toEqual(
      claims(updated),
    );
});

/** Starts a reference gateway that truncates the fifth chat, and charges all later ones but loses their responses. */
async function openGateway() {
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const mock: MockGateway = createMockGateway({ tasks: { durationMs: 100 }, chunkDelayMs: 20 });
  const headers = { location: '/elsewhere' };
  mock.fail({ route: 'GET /v1/models/{model}', status: 302, headers });
  mock.fail({ route: chats, cutStreamAfter: 3, attempt: 5 });
  for (let attempt = 6; attempt < 20; attempt += 1) {
    mock.fail({ route: chats, reset: 'after', attempt });
  }
  const { baseURL, close } = await listen(mock, { cors: true });
  return { mock, baseURL, close };
}

function isChat({ method, path }: MockRequest): boolean {
  return `${method} ${path}` === chats;
}
