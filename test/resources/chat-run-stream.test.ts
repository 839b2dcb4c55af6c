import { describe, expect, test, vi } from 'vitest';

import type { ChatStream } from '../../src/index.ts';
import { chat, onMock, caught } from '../client/support.ts';
import { eventually } from '../support/eventually.ts';
import { tool } from '../support/tools.ts';

const params = {
  model: chat.model,
  messages: [{ role: 'user' as const, content: 'What is the weather in Paris?' }],
};

describe('a run with onStream', () => {
  test('streams each response, and returns what a run without it returns', async () => {
    const { mock, gateway } = onMock();
    const tools = [tool('weather')];
    const expected = await gateway.chat.completions.run({ ...params, tools });
    const texts: string[] = [];
    const rounds: number[] = [];
    const run = await gateway.chat.completions.run(
      { ...params, tools },
      {
        onStream: (stream, progress) => {
          rounds.push(progress.rounds.length);
          void (async () => {
            for await (const text of stream.text()) texts.push(text);
          })();
        },
      },
    );
    expect(rounds).toEqual([0, 1]);
    expect(texts.join('')).toBe(run.completion.choices[0]?.message.content);
    expect(run.messages.map(({ role }) => role)).toEqual(expected.messages.map(({ role }) => role));
    expect(run.chargeUsd).toBeGreaterThan(0);
    const streamed = mock.requests.map(({ body }: any) => body.stream === true);
    expect(streamed).toEqual([false, false, true, true]);
  });

  test('reads the stream if onStream does not, and logs what it throws', async () => {
    const errors: string[] = [];
    const ignore = () => undefined;
    const error = (message: string) => void errors.push(message);
    const logger = { error, warn: ignore, info: ignore, debug: ignore };
    const { gateway } = onMock({}, { logger, logLevel: 'error' });
    const onStream = vi.fn<(stream: ChatStream) => void>().mockImplementation(() => {
      throw new Error('broken');
    });
    const run = await gateway.chat.completions.run({ ...params, tools: [] }, { onStream });
    expect(run.completion.choices[0]?.message.content).toContain('You said');
    expect(onStream).toHaveBeenCalledOnce();
    await eventually(() => expect(errors).toHaveLength(1));
  });

  test('rejects with the error of a stream, with the run so far', async () => {
    const { mock, gateway } = onMock();
    const weather = tool('weather', () => {
      mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 2 });
      return 'sunny';
    });
    const error = await caught(
      gateway.chat.completions.run({ ...params, tools: [weather] }, { onStream: () => undefined }),
    );
    expect(error).toMatchObject({
      name: 'StreamTruncatedError',
      outcome: 'unknown',
      run: { rounds: [{}] },
    });
    expect(mock.requests).toHaveLength(2);
  });

  test('without tools sends no empty list of them', async () => {
    const { mock, gateway } = onMock();
    await gateway.chat.completions.run({ ...params, tools: [] });
    const [{ body }]: any = mock.requests;
    expect(body).not.toHaveProperty('tools');
  });
});
