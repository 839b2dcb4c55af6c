import { expect, test } from 'vitest';

import { readJournal } from '../../../src/client/batch/journal-contents.ts';

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

test('an empty journal has neither a run nor rows', async () => {
  expect(await readJournal(journal())).toEqual({
    run: undefined,
    rows: new Map(),
    isDamaged: false,
  });
});

test('each row has the charges and the state that its lines record', async () => {
  const images = '/v1/images/generations';
  const { rows } = await readJournal(
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
      submit('lost', '/v1/chat/completions', 0.01),
    ),
  );
  const common = {
    isCompleted: false,
    isLostChat: false,
    isUncertain: false,
    needsReplay: false,
    mayBeCharged: true,
    status: undefined,
    taskId: undefined,
    usd: 0,
    estimatedUsd: 0,
  };
  expect(Object.fromEntries(rows)).toEqual({
    sent: { ...common, key: 'key-sent', estimatedUsd: 0.1, isUncertain: true, needsReplay: true },
    accepted: { ...common, key: 'key-accepted', taskId: 'task-accepted', usd: 0.1 },
    finished: {
      ...common,
      key: 'key-finished',
      taskId: 'task-finished',
      status: 'failed',
      usd: 0.2,
    },
    refused: { ...common, key: 'key-refused', mayBeCharged: false },
    chat: { ...common, key: 'key-chat', isCompleted: true, usd: 0.004 },
    lost: { ...common, key: 'key-lost', estimatedUsd: 0.01, isUncertain: true, isLostChat: true },
  });
});

test('a damaged line is reported, and leaves the other lines of its row readable', async () => {
  const { rows, isDamaged } = await readJournal(
    journal(
      { type: 'run', run: 'r' },
      '{"v":1,"type":"sub',
      { type: 'accepted', id: 'a', receipt: receipt('a', 0.1), usd: 0.1 },
      '',
    ),
  );
  expect(isDamaged).toBe(true);
  expect(rows.get('a')).toMatchObject({ key: 'key-a', taskId: 'task-a', usd: 0.1 });
});
