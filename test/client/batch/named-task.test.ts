import { expect, test } from 'vitest';

import type { Fault } from '../../../src/mock/index.ts';
import { coded, onMock } from '../support.ts';
import { lineTypes, memoryJournal, newProcess, runImageBatch } from './support.ts';

test.each<[string, Fault]>([
  ['is not understood', { malformed: true }],
  ['is lost after its headers', { truncateBody: 1 }],
])('a row continues with the task that a response names which %s', async (_, fault) => {
  const world = onMock();
  const journal = memoryJournal();
  world.mock.fail({ route: 'POST /v1/images/tasks', ...fault });
  const [row] = await runImageBatch(world, ['at dusk'], { journal, maxUsd: 1 });
  expect(row).toMatchObject({ status: 'succeeded', task: { id: world.mock.invoice[0]?.taskId } });
  expect(world.mock.invoice).toMatchObject([{ usd: 0.02 }]);
  expect(lineTypes(journal)).toContain('accepted');
});

test.each<[string, number, string]>([
  ['', 1, 'failed'],
  [' after a lost response', 2, 'unknown'],
])('a row does not take the task that a rejection%s names', async (_, rejected, status) => {
  const { mock } = onMock();
  // It may be that of another body with the same key.
  const { data } = await newProcess({ mock })
    .gateway.images.submit({ model: 'prism-image', prompt: 'Another harbor' })
    .withResponse();
  const error = { code: 'idempotency_conflict', message: 'The key was used for another body.' };
  const headers = { 'content-type': 'application/json', 'x-svc-task-id': data.id };
  let posts = 0;
  const rejecting: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'POST') return mock.fetch(request);
    posts += 1;
    if (posts < rejected) throw new TypeError('fetch failed', { cause: coded('ECONNRESET') });
    return new Response(JSON.stringify({ error }), { status: 409, headers });
  };
  const [row] = await runImageBatch(newProcess({ mock }, { fetch: rejecting }), ['at dusk']);
  expect(row).toMatchObject({ status, error: { status: 409 } });
  expect(mock.invoice).toHaveLength(1);
});
