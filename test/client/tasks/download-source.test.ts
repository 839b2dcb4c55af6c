import { describe, expect, test } from 'vitest';

import { ConfigurationError, RequestTimeoutError, TaskFailedError } from '../../../src/index.ts';
import type { Generation } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import {
  clientOf,
  errorReply,
  hang,
  image,
  jsonReply,
  onMock,
  scripted,
  submitted,
  textReply,
  virtualClock,
} from '../support.ts';

const url = 'https://files.example/a.png';
const running = { id: 'task_1', status: 'running' };
const succeeded = { id: 'task_1', status: 'succeeded', image_url: url };
const failed = { id: 'task_1', status: 'failed', error: { message: 'The prompt was rejected' } };
const bytes = textReply(200, 'bytes');

describe('a task that has not succeeded as far as the client knows', () => {
  test('is polled, and its result is downloaded', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    await mock.clock.advance(60_000);
    mock.clearRecords();
    const response = await gateway.download(task);
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect(mock.requests).toHaveLength(2);
    expect(task.latest.status).toBe('succeeded');
  });

  test('is polled if it is passed as a generation, with the headers of its submission', async () => {
    const { fetch, sent } = scripted(submitted, jsonReply(200, succeeded), bytes);
    const gateway = clientOf(fetch);
    const task = await gateway.images.submit(image, { headers: { 'x-team': 'harbor' } });
    expect(await (await gateway.download(task.latest)).text()).toBe('bytes');
    expect(sent[1]?.headers.get('x-team')).toBe('harbor');
  });

  test('has no result yet if a poll shows that it is still processing', async () => {
    const { fetch, sent } = scripted(submitted, jsonReply(200, running));
    const gateway = clientOf(fetch);
    const task = await gateway.images.submit(image);
    const error = await rejection(ConfigurationError, gateway.download(task));
    expect(error.message).toBe(
      'Task task_1 is still processing. Download its result after error.task.wait().',
    );
    expect(error.task).toBe(task);
    expect(sent).toHaveLength(2);
  });

  test('rejects with TaskFailedError if it has failed', async () => {
    const { fetch } = scripted(submitted, jsonReply(200, failed));
    const gateway = clientOf(fetch);
    const task = await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    for (const source of [task, task.latest, gateway.images.task('task_1')]) {
      const error = await rejection(TaskFailedError, gateway.download(source));
      expect(error.message).toContain('Task task_1 failed: The prompt was rejected.');
      expect(error.generation.error?.message).toBe('The prompt was rejected');
      expect(error.task.id).toBe('task_1');
    }
    const error = await rejection(TaskFailedError, gateway.download(task));
    expect(error.idempotencyKey).toBe('row-1');
  });

  test('is not downloaded at the URL of a preview, unless its generation is passed', async () => {
    const preview = jsonReply(200, { ...running, image_url: `${url}?preview` });
    const { fetch, sent } = scripted(preview, jsonReply(200, succeeded), bytes);
    const gateway = clientOf(fetch);
    const task = gateway.images.task('task_1');
    const generation = await task.retrieve();
    await (await gateway.download(task)).text();
    await (await gateway.download(generation)).text();
    expect(sent.slice(1).map((request) => request.url)).toEqual([
      'https://gateway.example/v1/images/tasks/task_1',
      url,
      `${url}?preview`,
    ]);
  });

  test('is downloaded if another poll has received the result in the meantime', async () => {
    const clock = virtualClock();
    let polls = 0;
    const gateway = clientOf(
      async (input) => {
        if (String(input instanceof Request ? input.url : input) === url) {
          return new Response('bytes');
        }
        polls += 1;
        if (polls > 1) return Response.json(succeeded);
        await clock.sleep(1_000);
        return Response.json(running);
      },
      { clock },
    );
    const task = gateway.images.task('task_1');
    const download = gateway.download(task);
    await task.retrieve();
    expect(await (await clock.settle(download)).text()).toBe('bytes');
  });

  test('that does not exist is polled only once', async () => {
    const { fetch, sent } = scripted(errorReply(404, 'task_not_found'));
    const gateway = clientOf(fetch);
    await gateway.download(gateway.images.task('task_1')).catch(() => undefined);
    expect(sent).toHaveLength(1);
  });
});

describe('an index without a result is rejected:', () => {
  test.each<[string, string | Generation, string]>([
    ['of a URL', url, 'a URL has 1 result'],
    [
      'of a generation',
      {
        id: 'task_1',
        kind: 'image',
        status: 'succeeded',
        rawStatus: 'succeeded',
        urls: [url, `${url}?2`],
        raw: {} as Generation<'image'>['raw'],
      },
      'the task has 2 results',
    ],
  ])('%s', async (_, source, reason) => {
    const error = await rejection(
      ConfigurationError,
      clientOf(scripted(bytes).fetch).download(source, { index: 5 }),
    );
    expect(error.message).toBe(
      `index: result 5 does not exist: ${reason} (indexes start at 0). The download was not charged.`,
    );
  });
});

test('an update is downloaded by polls with the headers of the submission', async () => {
  const clock = virtualClock();
  const { fetch, sent } = scripted(
    submitted,
    jsonReply(200, running),
    jsonReply(200, succeeded),
    errorReply(403),
    jsonReply(200, { ...succeeded, image_url: `${url}?fresh` }),
    bytes,
  );
  const gateway = clientOf(fetch, { clock });
  const work = async () => {
    const task = await gateway.images.submit(image, { headers: { 'x-team': 'harbor' } });
    const updates: Generation[] = [];
    for await (const update of task.updates()) updates.push(update);
    const last = updates.at(-1);
    if (!last) throw new Error('There must be an update');
    return gateway.download(last);
  };
  expect(await (await clock.settle(work())).text()).toBe('bytes');
  expect(sent.map(({ headers }) => headers.get('x-team'))).toEqual([
    'harbor',
    'harbor',
    'harbor',
    null,
    'harbor',
    null,
  ]);
});

test('the update of a callback is downloaded by polls with the headers of the submission', async () => {
  const clock = virtualClock();
  const { fetch, sent } = scripted(submitted, jsonReply(200, succeeded), errorReply(410), bytes);
  const gateway = clientOf(fetch, { clock });
  const updates: Generation[] = [];
  await clock.settle(
    gateway.images.generate(image, {
      headers: { 'x-team': 'harbor' },
      onUpdate: (update) => void updates.push(update),
    }),
  );
  const [update] = updates;
  if (!update) throw new Error('There must be an update');
  await gateway.download(update).catch(() => undefined);
  expect(sent[3]?.headers.get('x-team')).toBe('harbor');
});

test('a download that was sent and timed out does not claim that it was not sent', async () => {
  const clock = virtualClock();
  const gateway = clientOf(scripted(hang).fetch, { clock, timeout: 7_000 });
  const error = await rejection(RequestTimeoutError, clock.settle(gateway.download(url)));
  expect(error.outcome).toBe('unknown');
});
