/** Chats whose lines were damaged after they were stored: nothing but the journal protects them from a second charge. */
import { expect, test } from 'vitest';

import { onMock } from '../support.ts';
import { chatRequests, lockedJournal, newProcess, runChatBatch } from './support.ts';

const torn = '{"v":1,"type":"torn"}';

/** The lines of a chat that was sent and has a result: `run`, `submit`, `completed`, `finished`. */
async function finished() {
  const world = onMock();
  const journal = lockedJournal();
  await runChatBatch(world, ['a'], { journal });
  const [run = '', submit = '', completed = '', end = ''] = journal.lines;
  return { world, run, submit, completed, end };
}

/** Runs the batch again. Returns how the row ends, and how often its chat was sent in both runs. */
async function rerun(world: ReturnType<typeof onMock>, lines: string[]) {
  const journal = lockedJournal(lines);
  const [row] = await runChatBatch(newProcess(world), ['a'], { journal });
  return { row, sent: chatRequests(world.mock).length };
}

const kept = { row: { status: 'unknown', error: { reason: 'resend' } }, sent: 1 };

test.each([
  ['is another text', () => 'damaged'],
  ['is overwritten at its start', (line: string) => '#'.repeat(20) + line.slice(20)],
  ['has lost a field', (line: string) => line.replace(/"path":"[^"]*",/, '')],
  ['is that of another version', (line: string) => line.replace('"v":1', '"v":2')],
])('a last line that %s is not one that was torn when it was written', async (_, damage) => {
  const { world, run, submit } = await finished();
  expect(await rerun(world, [run, damage(submit)])).toMatchObject(kept);
});

const nuls = '\0'.repeat(100);

test.each([
  ['of NULs alone', () => nuls],
  ['that was cut off', (line: string) => line.slice(0, 30) + nuls],
])('a last line %s is torn, as a power loss leaves it', async (_, damage) => {
  const { world, run, submit } = await finished();
  const { row, sent } = await rerun(world, [run, damage(submit)]);
  expect(row).toMatchObject({ status: 'succeeded' });
  expect(sent).toBe(2);
});

test.each([
  ['a line that was stored', ({ run, submit }) => [run, submit + nuls]],
  ['a line of NULs that others follow', ({ run, end }) => [run, nuls, end.replace('"0"', '"1"')]],
  ['NULs before a line', ({ run, submit }) => [run, nuls + submit]],
  ['a damaged line before NULs', ({ run }) => [run, 'damaged', nuls]],
] satisfies [string, (lines: Awaited<ReturnType<typeof finished>>) => string[]][])(
  'a chat may have been sent if its journal has %s',
  async (_, linesOf) => {
    const lines = await finished();
    expect(await rerun(lines.world, linesOf(lines))).toMatchObject(kept);
  },
);

test('a journal of NULs is not an empty one', async () => {
  const { world } = await finished();
  await expect(rerun(world, [nuls])).rejects.toThrow('its first line');
});

test('a mark of a torn line that is there twice does not hide an earlier damaged line', async () => {
  const { world, run, submit } = await finished();
  const half = submit.slice(0, 30);
  expect(await rerun(world, [run, half, run, half, torn, torn])).toMatchObject(kept);
});

test('a chat that has ended is not sent again if the lines before are damaged', async () => {
  const { world, run, submit, completed, end } = await finished();
  expect(await rerun(world, [run, submit.slice(0, 30), completed.slice(0, 30), end])).toMatchObject(
    kept,
  );
});
