/** What a diagnosis sends. */
import type { MockGateway } from 'polygate/mock';
import { expect, test } from 'vitest';

import { startMock } from './diagnosed-mock.ts';

/** The requests that a diagnosis may send: nothing that creates, changes or deletes anything but images and chats. */
const free = [
  'GET /v1/status',
  'GET /v1/account',
  'GET /v1/readiness',
  'GET /api/usage/balance',
  'GET /v1/models',
  'GET /v1/models/polygate-doctor-unknown-model',
  'GET /v1/polygate-doctor/polygate-doctor-0',
  'GET /v1/videos/polygate-doctor-0',
  'GET /v1/images/tasks/polygate-doctor-0',
  'GET /v1/capabilities',
  'GET /v1/errors',
  'GET /v1/changelog',
  'GET /v1/pricing',
  'GET /v1/rate-limits',
  'GET /v1/materials',
  'GET /v1/audio/voices',
  'GET /v1/openapi.json',
  'GET /v1/usage/records',
];
const paid = [
  'POST /v1/chat/completions',
  'POST /v1/images/generations',
  'POST /v1/images/tasks',
  'GET /v1/images/tasks/{id}',
  'GET /media/{id}/1.png',
];
const routesOf = ({ requests }: MockGateway) =>
  new Set(requests.map(({ method, path }) => `${method} ${path.replace(/task_\w+/, '{id}')}`));

test('only these requests are sent', async () => {
  const { run, mock } = startMock();
  await run();
  expect(routesOf(mock)).toEqual(new Set(free));
  expect(mock.invoice).toEqual([]);
  await run({ maxSpendUsd: 0.1 });
  expect(routesOf(mock)).toEqual(new Set([...free, ...paid]));
  const posts = mock.requests.filter(({ method }) => method === 'POST');
  expect(posts).toHaveLength(7);
});
