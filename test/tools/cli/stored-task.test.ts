/** What the commands and the MCP server make of the response to a submission. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMockGateway } from 'polygate/mock';
import type { Fault } from 'polygate/mock';
import { expect, onTestFinished, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { mcpSubmissions } from '../../support/mcp-submissions.ts';

test.each<[string, Fault]>([
  ['not understood', { malformed: true }],
  ['lost after its headers', { truncateBody: 1 }],
])('a response that was %s leads to the task that its headers name', async (_, fault) => {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-task-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mock = createMockGateway();
  mock.fail({ route: 'POST /v1/images/tasks', ...fault });
  const { apiKey, baseURL, fetch } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, logLevel: 'off', maxRetries: 0 });
  const { submissions, budget, call } = mcpSubmissions(gateway, folder, 1);
  const body = { model: 'prism-image', prompt: 'A harbor' };
  const request = { kind: 'image' as const, ...body, params: {} };
  const order = { tool: 'generate_image', request, body, idempotencyKey: 'k', output: '/x' };
  const { task } = await submissions.open(order, call);
  expect(mock.invoice).toMatchObject([{ taskId: task.id, usd: 0.02 }]);
  expect(budget.leftUsd).toBe(0.98);
  const tasks = join(folder, 'polygate', 'tasks');
  const [name = ''] = readdirSync(tasks);
  const stored = JSON.parse(readFileSync(join(tasks, name), 'utf8'));
  expect(stored).toMatchObject({ receipt: { id: task.id, chargeUsd: 0.02 } });
});
