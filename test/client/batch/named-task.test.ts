import { expect, test } from 'vitest';

import type { Fault } from '../../../src/mock/index.ts';
import { onMock } from '../support.ts';
import { lineTypes, memoryJournal, runImageBatch } from './support.ts';

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
