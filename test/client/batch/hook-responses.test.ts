import { expect, test } from 'vitest';

import type { Hooks } from '../../../src/index.ts';
import { onMock } from '../support.ts';
import { lineTypes, lockedJournal, newProcess, runChatBatch, runImageBatch } from './support.ts';

test.each([
  ['tasks', runImageBatch, 'accepted'],
  ['chats', runChatBatch, 'completed'],
] as const)('%s to which a hook has responded are accepted and recorded', async (_, run, line) => {
  const world = onMock();
  const beforeRequest: Hooks['beforeRequest'] = [({ request }) => world.mock.fetch(request)];
  const journal = lockedJournal();
  const rows = await run(newProcess(world, { hooks: { beforeRequest } }), ['a'], { journal });
  expect(rows).toMatchObject([{ status: 'succeeded' }]);
  expect(world.mock.invoice).toHaveLength(1);
  expect(lineTypes(journal)).toEqual(expect.arrayContaining(['submit', line, 'finished']));
});
