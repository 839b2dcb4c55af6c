import { inspect } from 'node:util';

import { expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { caught, image, onMock } from '../support.ts';

test('a submission sends nothing until send() is called, and then sends what submit() sends', async () => {
  const { mock, gateway } = onMock();
  const submission = gateway.images.submission(image, { route: 'generations' });
  expect(submission.kind).toBe('image');
  await mock.clock.advance(1_000);
  expect(mock.requests).toEqual([]);
  const task = await submission.send({ idempotencyKey: 'row-1' });
  expect(task.idempotencyKey).toBe('row-1');
  expect(mock.requests).toMatchObject([
    { path: '/v1/images/generations', body: image, headers: { 'x-idempotency-key': 'row-1' } },
  ]);
});

test('a submission uses its own options, and options of send() override them', async () => {
  const { mock, gateway } = onMock();
  const submission = gateway.images.submission(image, { idempotencyKey: 'own', requestId: 'r-1' });
  await submission.send();
  await submission.send({ idempotencyKey: 'given' });
  const sent = mock.requests.map(({ headers }) => [
    headers['x-idempotency-key'],
    headers['x-request-id'],
  ]);
  expect(sent).toEqual([
    ['own', 'r-1'],
    ['given', 'r-1'],
  ]);
});

test('a submission with invalid params is rejected by send(), not when it is created', async () => {
  const { gateway } = onMock();
  const submission = gateway.videos.submission({ model: 'tide-video', prompt: 'asset://x' });
  expect(await caught(submission.send())).toBeInstanceOf(ConfigurationError);
});

test('inspecting a submission shows neither prompt nor API key', () => {
  const { mock, gateway } = onMock();
  const inspected = inspect(gateway.images.submission(image), { depth: 9, showHidden: true });
  expect(inspected).not.toContain(mock.apiKey);
  expect(inspected).not.toContain(image.prompt);
});

test.each(['extraBody', 'route'])(
  'send() rejects %s, because the body and the path are fixed when the submission is created',
  async (name) => {
    const { mock, gateway } = onMock();
    const options: object = { [name]: name === 'route' ? 'generations' : { style: 1 } };
    const error = await caught(gateway.images.submission(image).send(options));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(`${name}: must be passed to submission()`);
    expect(mock.requests).toEqual([]);
  },
);

test('options of send() whose value is undefined do not replace those of the submission', async () => {
  const { mock, gateway } = onMock();
  const submission = gateway.images.submission(image, {
    idempotencyKey: 'own',
    headers: { 'x-team': 'a' },
  });
  await submission.send({ idempotencyKey: undefined, headers: undefined });
  expect(mock.requests[0]?.headers).toMatchObject({ 'x-idempotency-key': 'own', 'x-team': 'a' });
});

test('a submission keeps the headers that it was created with', async () => {
  const { mock, gateway } = onMock();
  const headers = { 'x-row': '1' };
  const submission = gateway.images.submission(image, { headers });
  headers['x-row'] = '2';
  await submission.send();
  expect(mock.requests[0]?.headers['x-row']).toBe('1');
});
