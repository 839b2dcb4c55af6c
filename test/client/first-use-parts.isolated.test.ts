/** Calls whose parts convert or read something, on clients that have not loaded any of them. */
import { expect, test } from 'vitest';

import { holdFile, onFreshClients } from './first-use-support.ts';
import { caught, chat, image } from './support.ts';

const portSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object', properties: {} }) },
  },
} as const;

test('the first request with a schema has the other params that it was called with', async () => {
  const { mock, open } = onFreshClients();
  const { gateway } = await open();
  const message = { role: 'user' as const, content: 'first' };
  const params = { ...chat, messages: [message], response_format: portSchema };
  const sent = gateway.chat.completions.parse(params);
  message.content = 'second';
  await sent;
  const json_schema = { schema: { type: 'object', properties: {} } };
  expect(mock.requests.map(({ body }) => body)).toMatchObject([
    { messages: [{ content: 'first' }], response_format: { type: 'json_schema', json_schema } },
  ]);
});

test('a chat whose schema cannot be converted for lack of its file is not sent', async () => {
  const { mock, open } = onFreshClients();
  const { gateway } = await open();
  holdFile('chat/structured-output.ts').release(new Error('missing'));
  const params = { ...chat, response_format: portSchema };
  const submission = gateway.chat.completions.submission(params);
  for (const call of [gateway.chat.completions.parse(params), submission.send()]) {
    expect(await caught(call)).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  }
  expect(mock.requests).toEqual([]);
});

test('a poll whose response could not be read for lack of its file is not sent', async () => {
  const { mock, open } = onFreshClients();
  const { id } = await (await open()).gateway.images.submit(image);
  const { gateway } = await open();
  holdFile('tasks/wait-steps.ts').release(new Error('missing'));
  const error = await caught(gateway.images.task(id).retrieve());
  expect(error).toMatchObject({ name: 'ConnectionError', task: { id } });
  expect(error.message).toContain(`Task ${id} is not lost.`);
  expect(mock.requests.filter(({ method }) => method === 'GET')).toEqual([]);
});
