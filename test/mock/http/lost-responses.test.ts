import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { ExchangeSummary, Fault } from '../../../src/mock/index.ts';
import { eventually } from '../../support/eventually.ts';
import { image, video } from '../caller.ts';

test('onResponse reports every charge, even when its response is lost or replaced', async () => {
  const exchanges: ExchangeSummary[] = [];
  const mock = createMockGateway({
    clock: 'virtual',
    onResponse: (exchange) => exchanges.push(exchange),
  });
  const faults: Fault[] = [
    { unreachable: true, times: 1 },
    { reset: 'before', times: 1 },
    { reset: 'after', times: 1 },
    { status: 500, handled: true, times: 1 },
    { stallHeaders: true, times: 1 },
  ];
  for (const fault of faults) mock.fail(fault);
  const submit = (key: string, signal?: AbortSignal) =>
    mock
      .fetch(`${mock.baseURL}/v1/videos`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${mock.apiKey}`,
          'content-type': 'application/json',
          'x-idempotency-key': key,
        },
        body: JSON.stringify(video),
        ...(signal === undefined ? {} : { signal }),
      })
      .catch(() => undefined);
  for (const key of ['a', 'b', 'c', 'd']) await submit(key);
  const stalled = new AbortController();
  const waiting = submit('e', stalled.signal);
  await eventually(() => expect(exchanges).toHaveLength(5));
  stalled.abort();
  await waiting;
  await submit('c');
  expect(
    exchanges.map(({ status, lost, chargeUsd, replay, idempotencyKey, fault }) => [
      idempotencyKey,
      status,
      lost,
      chargeUsd,
      replay,
      fault === undefined ? -1 : faults.indexOf(fault),
    ]),
  ).toEqual([
    [undefined, undefined, 'refused', undefined, false, 0],
    ['b', undefined, 'reset', undefined, false, 1],
    ['c', undefined, 'reset', 0.1, false, 2],
    ['d', 500, undefined, 0.1, false, 3],
    ['e', undefined, 'stalled', 0.1, false, 4],
    ['c', 202, undefined, 0.1, true, -1],
  ]);
  expect(mock.invoice).toHaveLength(3);
});

test('onResponse reports the charge of a caller that disconnects while it waits', async () => {
  const exchanges: ExchangeSummary[] = [];
  const options = { assumptions: { A7: 'finished' }, tasks: { durationMs: 60_000 } } as const;
  const mock = createMockGateway({
    ...options,
    onResponse: (exchange) => exchanges.push(exchange),
  });
  const caller = new AbortController();
  const response = mock.fetch(`${mock.baseURL}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(image),
    signal: caller.signal,
  });
  await eventually(() => expect(mock.invoice).toHaveLength(1));
  caller.abort();
  await expect(response).rejects.toThrow('aborted');
  expect(exchanges).toMatchObject([{ lost: 'disconnected', status: undefined, chargeUsd: 0.02 }]);
});
