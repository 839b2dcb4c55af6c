import { createServer } from 'node:net';

import { nodeFetch } from 'polygate/node';
import { createProxyHandler } from 'polygate/proxy';
import { describe, expect, onTestFinished, test } from 'vitest';

import { BudgetExceededError, Polygate } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { recording } from '../../integrations/otel/support.ts';
import { startMock } from '../../tools/doctor/diagnosed-mock.ts';
import { caught, chat, completion, image } from '../support.ts';

const taskRecord = { id: 'task_1', status: 'queued' };

/** A service on a raw socket whose responses have these header lines, and counts its requests. */
async function serviceWith(lines: readonly string[], body: object = taskRecord) {
  const service = { requests: 0, baseURL: '' };
  const text = JSON.stringify(body);
  const head = ['HTTP/1.1 200 OK', 'content-type: application/json', ...lines];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes) => {
      received += String(bytes);
      const [, length = '0'] = /content-length: (\d+)/i.exec(received) ?? [];
      const start = received.indexOf('\r\n\r\n') + 4;
      if (start < 4 || received.length < start + Number(length)) return;
      received = '';
      service.requests += 1;
      socket.write(`${head.join('\r\n')}\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  service.baseURL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return service;
}

function clientAt(baseURL: string, options: PolygateOptions = {}) {
  const warnings: string[] = [];
  const gateway = new Polygate({
    apiKey: 'sk-test',
    baseURL,
    logLevel: 'warn',
    logger: { ...console, warn: (text: string) => warnings.push(text) },
    ...options,
  });
  return { gateway, warnings };
}

const transports = { 'the global fetch': undefined, nodeFetch: nodeFetch() };
const charges: readonly [lines: readonly string[], usd: number, warns: boolean][] = [
  [['x-svc-charge-usd: 0.02', 'x-svc-charge-usd: 0.02'], 0.02, false],
  [['x-svc-charge-usd: 0.02', 'X-Svc-Charge-Usd: 0.020'], 0.02, false],
  [['x-svc-charge-usd: 0.02', 'x-svc-charge-usd: 0.03'], 0.03, true],
  [['x-svc-charge-usd: 0.05', 'x-svc-charge-usd: 0.01', 'x-svc-charge-usd: 0.05'], 0.05, true],
  [['x-svc-charge-usd: 0', 'x-svc-charge-usd: 0.02'], 0.02, true],
  [['x-svc-charge-usd: -1', 'x-svc-charge-usd: 0.02'], 0.02, true],
  [['x-svc-charge-usd: free', 'x-svc-charge-usd: 0.02'], 0.02, true],
  [['x-svc-charge-usd: 0.02', 'x-svc-charge-usd:'], 0.02, false],
  [['x-svc-charge-usd: 0.02,0.02'], 0.02, false],
  [['x-svc-charge-usd: 0.02,'], 0.02, false],
];

describe.each(Object.entries(transports))(
  'over %s, a charge header that arrives twice',
  (_, fetch) => {
    test.each(charges)('%j is a charge of %d USD (warning: %s)', async (lines, usd, warns) => {
      const { baseURL } = await serviceWith(lines);
      const reported: number[] = [];
      const memory = recording({});
      const { gateway, warnings } = clientAt(baseURL, {
        ...(fetch && { fetch }),
        telemetry: memory.telemetry,
        onCharge: (charge) => void reported.push(charge.usd),
      });
      const task = await gateway.images.submit(image);
      expect(task.chargeUsd).toBe(usd);
      expect(task.meta?.chargeUsd).toBe(usd);
      expect(gateway.spend).toMatchObject({ totalUsd: usd, requests: 1 });
      expect(reported).toEqual([usd]);
      expect(memory.spans()[0]?.attributes).toMatchObject({ 'polygate.charge_usd': usd });
      expect(warnings).toEqual(
        warns
          ? [
              expect.stringMatching(
                /x-svc-charge-usd arrived with different values \(.*\); \S+, the largest, counts/,
              ),
            ]
          : [],
      );
    });
  },
);

test.each(['0,02', '1,234.50', 'free, cheap', '-1, -1'])(
  'a charge of %s stays invalid, so that no part of a number counts as one',
  async (value) => {
    const { baseURL } = await serviceWith([`x-svc-charge-usd: ${value}`]);
    const { gateway, warnings } = clientAt(baseURL);
    const task = await gateway.images.submit(image);
    expect(task.chargeUsd).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(`invalid charge (${value})`)]);
  },
);

test('a budget of 0.03 USD ends after one of four requests at 0.02 USD without listed prices', async () => {
  const service = await serviceWith(['x-svc-charge-usd: 0.02', 'x-svc-charge-usd: 0.02']);
  const { gateway } = clientAt(service.baseURL, { budget: { maxUsd: 0.03 } });
  await gateway.images.submit(image);
  for (let index = 0; index < 3; index += 1) {
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
  }
  // The second is that for the price list.
  expect(service.requests).toBe(2);
});

test.each([
  [['x-svc-concurrency-limit: 2', 'x-svc-concurrency-limit: 2'], 2],
  [['x-svc-concurrency-limit: 2', 'x-svc-concurrency-limit: 5'], 5],
])('of the concurrency limits %j, %d counts', async (lines, limit) => {
  const { baseURL } = await serviceWith(
    [...lines, 'x-svc-concurrency-remaining: 1', 'x-svc-concurrency-remaining: 1'],
    completion,
  );
  const { gateway } = clientAt(baseURL);
  const { meta } = await gateway.chat.completions.create(chat).withResponse();
  expect(meta.concurrency).toMatchObject({ limit, remaining: 1 });
  expect(gateway.concurrency.limit).toBe(limit);
});

test('other headers that arrive twice have one value', async () => {
  const twice = (line: string) => [line, line];
  const { baseURL } = await serviceWith([
    ...twice('x-request-id: req_1'),
    ...twice('x-svc-task-id: task_1'),
    ...twice('x-svc-wallet: unified'),
    ...twice('x-svc-balance-usd: 4.2'),
    ...twice('x-svc-balance-cny: -30'),
    ...twice('x-svc-readiness-score: 97'),
    ...twice('x-svc-readiness-status: ready'),
    ...twice('x-svc-idempotent-replay: true'),
  ]);
  const { gateway } = clientAt(baseURL);
  expect((await gateway.images.submit(image)).meta).toMatchObject({
    requestId: 'req_1',
    taskId: 'task_1',
    wallet: 'unified',
    balanceUsd: 4.2,
    balanceCny: -30,
    readiness: { score: 97, status: 'ready' },
    idempotentReplay: true,
  });
});

test('the limits of a proxy count a charge that arrives twice, and onError reports different values', async () => {
  const { baseURL } = await serviceWith(
    ['x-svc-charge-usd: 0.02', 'x-svc-charge-usd: 0.04'],
    completion,
  );
  const reports: unknown[] = [];
  const handler = createProxyHandler({
    apiKey: 'sk-test',
    baseURL,
    authorize: () => 'ann',
    limits: { usd: 1 },
    onError: (error) => void reports.push(error),
  });
  const page = new Polygate({
    apiKey: null,
    baseURL: 'https://app.example/api/gateway',
    fetch: async (input, init) => handler(new Request(input, init)),
    logLevel: 'off',
  });
  const { meta } = await page.chat.completions.create(chat).withResponse();
  expect(meta.chargeUsd).toBe(0.04);
  expect(await handler.usage('ann')).toMatchObject({ usd: 0.04 });
  expect(reports).toMatchObject([
    { message: expect.stringContaining('x-svc-charge-usd arrived with different values') },
  ]);
});

/** Sends each documented header of a response twice. */
const doubled =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const names = [...response.headers.keys()].filter((name) => name.startsWith('x-svc-'));
    for (const name of names) response.headers.append(name, response.headers.get(name) ?? '');
    return response;
  };

test('a diagnosis of a service that sends every header twice is that of the same service', async () => {
  const once = startMock();
  const twice = startMock({}, doubled);
  const expected = await once.run({ maxSpendUsd: 0.1 });
  const diagnosis = await twice.run({ maxSpendUsd: 0.1 });
  expect(diagnosis.spentUsd).toBe(expected.spentUsd);
  expect(diagnosis.spentUsd).toBeGreaterThan(0);
  expect(diagnosis.checks.map(({ id, status }) => [id, status])).toEqual(
    expected.checks.map(({ id, status }) => [id, status]),
  );
});
