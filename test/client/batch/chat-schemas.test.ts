import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ConfigurationError, StructuredOutputError } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { chatRequests, lockedJournal, newProcess, numbers } from './support.ts';

describe('chats with a schema', () => {
  const label = z.object({ answer: z.string() });
  const describeLabel =
    (gateway: ReturnType<typeof newProcess>['gateway'], schema: typeof label) => (row: number) =>
      gateway.chat.completions.submission({
        model: 'aurora-chat',
        messages: [{ role: 'user', content: `Label ${row}` }],
        response_format: schema,
      });

  test('have parsed, which is checked again when it comes from the journal', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const run = async (schema: typeof label) => {
      const { mock, gateway } = newProcess(world);
      const batch = gateway.batch(numbers(2), describeLabel(gateway, schema), { journal });
      return mock.clock.settle(collect(batch));
    };
    const first = await run(label);
    expect(first[0]).toMatchObject({ status: 'succeeded', parsed: { answer: expect.any(String) } });
    expect(first[0]?.parsed).toEqual(
      first[0]?.status === 'succeeded' ? first[0].completion.parsed : undefined,
    );
    const second = await run(label);
    expect(second[0]?.parsed).toEqual(first[0]?.parsed);
    const strict = label.refine(() => false);
    const third = await run(strict);
    expect(third[0]).toMatchObject({
      status: 'failed',
      completion: { object: 'chat.completion' },
      error: expect.any(StructuredOutputError),
    });
    expect(chatRequests(world.mock)).toHaveLength(2);
  });

  test('that do not match are failed with their completion, and are not sent again', async () => {
    const world = onMock();
    const journal = lockedJournal();
    for (const _ of [1, 2]) {
      const { mock, gateway } = newProcess(world);
      const schema = label.refine(() => false);
      const batch = gateway.batch([1], describeLabel(gateway, schema), { journal });
      const [row] = await mock.clock.settle(collect(batch));
      expect(row).toMatchObject({ status: 'failed', completion: { id: expect.any(String) } });
    }
    expect(chatRequests(world.mock)).toHaveLength(1);
    expect(journal.lines.some((line) => line.includes('"status":"failed"'))).toBe(true);
  });

  test('cannot be streamed', () => {
    const { gateway } = onMock();
    const params = { model: 'aurora-chat', messages: [], stream: true };
    const describeRow = () =>
      Reflect.apply(gateway.chat.completions.submission, gateway.chat.completions, [params]);
    expect(describeRow).toThrow(ConfigurationError);
    expect(describeRow).toThrow('stream: must be false');
  });
});
