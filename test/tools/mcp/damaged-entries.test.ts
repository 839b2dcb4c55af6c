/** Entries of the state folder that were damaged after their request was paid for. The command line reads the same files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMockGateway } from 'polygate/mock';
import { expect, onTestFinished, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { describeFailure } from '../../../src/tools/cli/failure.ts';
import { CallFailure } from '../../../src/tools/mcp/replies.ts';
import { mcpSubmissions } from '../../support/mcp-submissions.ts';
import { rejection } from '../../support/rejection.ts';

/** A task that was paid for, with its file. Each call of `submit` is one of another server. */
async function paid() {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mock = createMockGateway();
  const { apiKey, baseURL, fetch } = mock;
  const body = { model: 'prism-image', prompt: 'A harbor' };
  const request = { kind: 'image' as const, ...body, params: {} };
  const order = { tool: 'generate_image', request, body, idempotencyKey: 'k', output: '/x' };
  const submit = () => {
    const gateway = new Polygate({ apiKey, baseURL, fetch, logLevel: 'off' });
    const { submissions, call } = mcpSubmissions(gateway, folder, 1);
    return submissions.open(order, call);
  };
  const { task } = await submit();
  const tasks = join(folder, 'polygate', 'tasks');
  const path = join(tasks, readdirSync(tasks)[0] ?? '');
  const rewrite = (fields: object) =>
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...fields }));
  return { mock, submit, rewrite, id: task.id };
}

test.each([{}, [], 'task', { v: 1 }, { v: 1, kind: 'image', id: 7 }])(
  'a receipt that was replaced by %j leaves the key, which reaches the task',
  async (receipt) => {
    const { mock, submit, rewrite, id } = await paid();
    rewrite({ receipt });
    expect((await submit()).task.id).toBe(id);
    expect(mock.invoice).toHaveLength(1);
  },
);

test('an entry of a newer version may have been charged', async () => {
  const { mock, submit, rewrite } = await paid();
  const { length } = mock.requests;
  rewrite({ v: 2 });
  const { cause, context } = await rejection(CallFailure, submit());
  const text = describeFailure(cause, context).join('\n');
  expect(text).toContain('It may have been charged.');
  expect(text).not.toContain('Nothing was charged');
  expect(mock.requests).toHaveLength(length);
});
