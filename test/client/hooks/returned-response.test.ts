import { expect, describe, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  completed,
  completion,
  image,
  jsonReply,
  scripted,
  submitted,
} from '../support.ts';
import { clientWith } from './support.ts';

describe('a Response that a beforeRequest hook returns', () => {
  test('is used as the response, and nothing is sent', async () => {
    const skipped: string[] = [];
    const charged: number[] = [];
    const { fetch, sent } = scripted(completed);
    const headers = { 'x-svc-charge-usd': '0.5', 'x-request-id': 'r1' };
    const gateway = clientOf(fetch, {
      onCharge: ({ usd }) => void charged.push(usd),
      hooks: {
        beforeRequest: [
          () => Response.json({ ...completion, id: 'c2' }, { headers }),
          () => void skipped.push('beforeRequest'),
        ],
        afterResponse: [({ response }) => void skipped.push(`afterResponse ${response.status}`)],
      },
    });
    const { data, meta } = await gateway.chat.completions.create(chat).withResponse();
    expect(data.id).toBe('c2');
    expect(meta).toMatchObject({ status: 200, requestId: 'r1', chargeUsd: 0.5 });
    expect(sent).toEqual([]);
    expect(skipped).toEqual(['afterResponse 200']);
    expect(charged).toEqual([0.5]);
    expect(gateway.spend.totalUsd).toBe(0.5);
  });

  test.each([
    ['once', 500, 1, (gateway: Polygate) => gateway.chat.completions.create(chat)],
    ['once', 503, 4, (gateway: Polygate) => gateway.chat.completions.create(chat)],
    ['keyed', 500, 4, (gateway: Polygate) => gateway.images.submit(image)],
    ['safe', 404, 1, (gateway: Polygate) => gateway.models.list()],
  ] as const)(
    'with an error status is retried as usual: %s, %d',
    async (_, status, count, call) => {
      let runs = 0;
      const { gateway, sent } = clientWith(completed, () => {
        runs += 1;
        return Response.json({ error: { message: 'Refused' } }, { status });
      });
      expect(await caught(call(gateway))).toMatchObject({ status });
      expect(runs).toBe(count);
      expect(sent).toEqual([]);
    },
  );

  test('replaces only its own attempt', async () => {
    let runs = 0;
    const { gateway, sent } = clientWith(submitted, () => {
      runs += 1;
      return runs === 1 ? new Response('busy', { status: 503 }) : undefined;
    });
    const task = await gateway.images.submit(image);
    expect(task.id).toBe('task_1');
    expect(sent).toHaveLength(1);
  });

  test('with a task id gives a task', async () => {
    const { gateway, sent } = clientWith(jsonReply(200, {}), () =>
      Response.json({ id: 'task_9', status: 'queued' }, { headers: { 'x-svc-task-id': 'task_9' } }),
    );
    expect((await gateway.images.submit(image)).id).toBe('task_9');
    expect(sent).toEqual([]);
  });
});
