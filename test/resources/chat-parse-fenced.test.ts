import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ChatStream, StructuredOutputError } from '../../src/index.ts';
import {
  clientOf,
  deltaEvent,
  doneEvent,
  finishEvent,
  params,
  streamHeaders,
  streamOf,
} from '../support/event-stream.ts';
import { rejection } from '../support/rejection.ts';

const schema = z.object({ name: z.string() });

/** All ways of parsing the content of a completion. */
function waysOf(content: string) {
  const events = [deltaEvent({ content }), finishEvent(), doneEvent];
  const gateway = clientOf(async (input, init) => {
    const body: { stream?: boolean } = await new Request(input, init).json();
    const message = { role: 'assistant', content };
    return body.stream
      ? new Response(events.join(''), { headers: streamHeaders })
      : Response.json({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] });
  });
  const { completions } = gateway.chat;
  const request = { ...params, response_format: schema };
  const relayed = streamOf(events).toReadableStream();
  return {
    parse: () => completions.parse(request),
    stream: () => completions.stream(request).final(),
    submission: () => completions.submission(request).send(),
    relayed: () => ChatStream.fromReadableStream(relayed, { schema }).final(),
    async batch() {
      for await (const row of gateway.batch([1], () => completions.submission(request))) {
        if (row.status !== 'succeeded') throw row.error;
        return row.completion;
      }
      throw new Error('no row');
    },
  };
}

describe('structured output is parsed in every way', () => {
  const json = '{"name":"Porto"}';
  test.each([
    ['a fenced block', `\`\`\`json\n${json}\n\`\`\``],
    ['a fenced block without a language', `\`\`\`\n${json}\n\`\`\`\n`],
    ['a fenced block in upper case, in one line', `\`\`\`JSON ${json} \`\`\``],
    ['text around a fenced block', `Here it is:\n\n\`\`\`json\n${json}\n\`\`\`\nEnjoy!`],
    ['reasoning before it', `<think>\nA port {or two}?\n</think>\n\n${json}`],
    ['a byte order mark before it', `\ufeff${json}`],
    ['a byte order mark before a fenced block', `\ufeff\`\`\`json\n${json}\n\`\`\``],
    ['the end of reasoning before it', `A port?</think>${json}`],
    ['reasoning before a fenced block', `Hm.\n</think>\n\`\`\`json\n${json}\n\`\`\``],
    ['reasoning that mentions its own end', `The tag </think> ends it.</think>${json}`],
    ['reasoning that has a fenced block', `<think>\`\`\`json\n{"a":1}\n\`\`\`</think>${json}`],
  ])('%s', async (_, content) => {
    for (const [way, read] of Object.entries(waysOf(content))) {
      const completion: { parsed?: unknown; choices: readonly unknown[] } = await read();
      expect([way, completion.parsed]).toEqual([way, { name: 'Porto' }]);
      expect(completion.choices).toMatchObject([{ message: { content } }]);
    }
  });

  test.each(['```json\n{}\n```', 'a</think>b', '```', '</think>'])(
    'JSON whose text has %j is not changed',
    async (name) => {
      const content = JSON.stringify({ name });
      const fenced = `</think>\n\`\`\`json\n${content}\n\`\`\``;
      for (const text of [content, fenced]) {
        for (const read of Object.values(waysOf(text))) {
          expect(await read()).toMatchObject({ parsed: { name } });
        }
      }
    },
  );

  test.each([
    ['two blocks', `\`\`\`json\n${json}\n\`\`\`\n\`\`\`json\n{"name":"Faro"}\n\`\`\``],
    ['a block that is not closed', `\`\`\`json\n${json}`],
    ['a block that is cut off', '```json\n{"name":"Po\n```'],
    ['reasoning alone', `<think>${json}`],
    ['text around JSON', `It is ${json}`],
  ])('but nothing ambiguous is taken for it: %s', async (_, content) => {
    for (const read of Object.values(waysOf(content))) {
      const error = await rejection(StructuredOutputError, read());
      expect(error).toMatchObject({ reason: 'mismatch', text: content });
    }
  });
});
