/** Downloads from a gateway on this machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Polygate } from 'polygate';
import { diagnose } from 'polygate/doctor';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect, onTestFinished, test } from 'vitest';

import { checkDiagnosis, findingOf, idsWith } from './diagnosed-mock.ts';

test('a gateway on this machine is diagnosed, with the download from its own origin', async () => {
  const mock = createMockGateway({ tasks: { durationMs: 50 } });
  const server = await listen(mock);
  onTestFinished(() => server.close());
  const gateway = new Polygate({ apiKey: mock.apiKey, baseURL: server.baseURL });
  const diagnosis = await diagnose({ gateway, maxSpendUsd: 0.1 });
  checkDiagnosis(diagnosis, mock.apiKey);
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(findingOf(diagnosis, 'download').detail).toMatch(/^The image has \d+ bytes of image\/svg/);
});

test('a download on this machine does not leave the origin of the gateway', async () => {
  let strayRequests = 0;
  const other = createServer((_, response) => {
    strayRequests += 1;
    response.end('secret');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/secret`;
  const mock = createMockGateway({ tasks: { durationMs: 50 } });
  mock.fail({ route: 'GET /media/{task}/{file}', status: 302, headers: { location: elsewhere } });
  const server = await listen(mock);
  onTestFinished(() => server.close());
  const gateway = new Polygate({ apiKey: mock.apiKey, baseURL: server.baseURL });
  const diagnosis = await diagnose({ gateway, maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'download')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('redirects away from the gateway'),
  });
  expect(strayRequests).toBe(0);
});
