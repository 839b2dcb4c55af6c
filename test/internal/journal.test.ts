import { expect, test } from 'vitest';

import { summarizeJournal } from '../../src/internal/journal.ts';

/** A journal with the given lines, of which objects are written as JSON. */
function journal(...lines: (string | object)[]) {
  const texts = lines.map((line) =>
    typeof line === 'string' ? line : JSON.stringify({ v: 1, ...line }),
  );
  return {
    async *read() {
      yield* texts;
    },
  };
}

const submit = (id: string, path: string, estimatedUsd?: number) => ({
  type: 'submit',
  id,
  path,
  hash: 'h',
  key: `key-${id}`,
  estimatedUsd,
});
const receipt = (id: string, chargeUsd?: number) => ({
  v: 1,
  kind: 'image',
  id: `task-${id}`,
  idempotencyKey: `key-${id}`,
  chargeUsd,
});
const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'aurora-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Gull' }, finish_reason: 'stop' }],
};

test('an empty journal has no rows and no charges', async () => {
  expect(await summarizeJournal(journal())).toEqual({
    rows: new Map(),
    chargedUsd: 0,
    estimatedUsd: 0,
    damagedLines: 0,
  });
});

test('the charges of all rows add up, and each row has the state that its lines record', async () => {
  const images = '/v1/images/generations';
  const summary = await summarizeJournal(
    journal(
      { type: 'run', run: 'r' },
      submit('sent', images, 0.1),
      submit('accepted', images, 0.1),
      { type: 'accepted', id: 'accepted', receipt: receipt('accepted', 0.1), usd: 0.1 },
      submit('finished', images, 0.2),
      { type: 'accepted', id: 'finished', receipt: receipt('finished', 0.2), usd: 0.2 },
      { type: 'finished', id: 'finished', status: 'failed' },
      submit('refused', images, 0.3),
      { type: 'refused', id: 'refused' },
      submit('chat', '/v1/chat/completions'),
      { type: 'completed', id: 'chat', completion, usd: 0.004 },
    ),
  );
  expect(summary).toMatchObject({ chargedUsd: 0.304, estimatedUsd: 0.1, damagedLines: 0 });
  const common = { hasCompletion: false, status: undefined, taskId: undefined, estimatedUsd: 0 };
  expect(Object.fromEntries(summary.rows)).toEqual({
    sent: {
      ...common,
      kind: 'image',
      idempotencyKey: 'key-sent',
      mayBeCharged: true,
      chargedUsd: 0,
      estimatedUsd: 0.1,
    },
    accepted: {
      ...common,
      kind: 'image',
      idempotencyKey: 'key-accepted',
      taskId: 'task-accepted',
      mayBeCharged: true,
      chargedUsd: 0.1,
    },
    finished: {
      ...common,
      kind: 'image',
      idempotencyKey: 'key-finished',
      taskId: 'task-finished',
      status: 'failed',
      mayBeCharged: true,
      chargedUsd: 0.2,
    },
    refused: {
      ...common,
      kind: 'image',
      idempotencyKey: 'key-refused',
      mayBeCharged: false,
      chargedUsd: 0,
    },
    chat: {
      ...common,
      kind: 'chat',
      idempotencyKey: 'key-chat',
      hasCompletion: true,
      mayBeCharged: true,
      chargedUsd: 0.004,
    },
  });
});

test('damaged lines are counted, and leave the other lines of their rows readable', async () => {
  const summary = await summarizeJournal(
    journal(
      { type: 'run', run: 'r' },
      '{"v":1,"type":"sub',
      { type: 'accepted', id: 'a', receipt: receipt('a', 0.1), usd: 0.1 },
      '',
    ),
  );
  expect(summary).toMatchObject({ chargedUsd: 0.1, damagedLines: 1 });
  expect(summary.rows.get('a')).toMatchObject({
    kind: 'image',
    idempotencyKey: 'key-a',
    taskId: 'task-a',
  });
});
