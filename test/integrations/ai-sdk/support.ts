import { createPolygate } from 'polygate/ai-sdk';
import type { MockGateway, MockGatewayOptions } from 'polygate/mock';

import type { PolygateOptions } from '../../../src/index.ts';
import { onMock } from '../../client/support.ts';
import { prepareProcess } from '../../support/prepared-process.ts';

prepareProcess();

/** The reference gateway in virtual time, its client, and the provider over this client. */
export function onProvider(
  settings: MockGatewayOptions = {},
  options: PolygateOptions = {},
  wrapFetch: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch = (fetch) => fetch,
) {
  const { mock, gateway: plain } = onMock(settings, options);
  const gateway = plain.withOptions({ fetch: wrapFetch(mock.fetch) });
  const settle = <Result>(promise: PromiseLike<Result>): Promise<Result> =>
    mock.clock.settle(Promise.resolve(promise));
  return { mock, gateway, polygate: createPolygate({ client: gateway }), settle };
}

/** `providerMetadata.polygate` of a task that was charged with this line of the invoice. */
export function metadataFor(line: MockGateway['invoice'][number] | undefined) {
  return {
    chargeUsd: line?.usd,
    requestId: line?.requestId,
    taskId: line?.taskId,
    idempotencyKey: line?.idempotencyKey,
    replayed: false,
  };
}

/** The body of the first request to a path. */
export function bodyOf(mock: MockGateway, path: string): unknown {
  return mock.requests.find((request) => request.path === path && request.method === 'POST')?.body;
}

/** A `fetch` that changes the JSON of every response to a method and path. */
export function rewriting(
  fetch: typeof globalThis.fetch,
  matches: (method: string, path: string) => boolean,
  change: (body: any) => unknown,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    if (!matches(request.method, new URL(request.url).pathname)) return response;
    const body = JSON.stringify(change(await response.json()));
    return new Response(body, { status: response.status, headers: response.headers });
  };
}
