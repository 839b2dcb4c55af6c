import { describe, expect, test, vi } from 'vitest';

import { NotFoundError, ServerError } from '../../../src/index.ts';
import {
  jsonReply,
  caught,
  chat,
  clientOf,
  completed,
  image,
  modelList,
  onMock,
  errorReply,
  reset,
  scripted,
  streamReply,
  submitted,
  textReply,
  turns,
  virtualClock,
} from '../support.ts';
import type { Reply } from '../support.ts';

const documented = {
  'x-request-id': 'req_1',
  'x-svc-charge-usd': '0.125',
  'x-svc-wallet': 'unified',
  'x-svc-balance-usd': '12.50',
  'x-svc-balance-cny': '90',
  'x-svc-readiness-score': '87.5',
  'x-svc-readiness-status': 'ready',
  'x-svc-task-id': 'task_1',
  'x-svc-idempotent-replay': 'true',
  'x-svc-concurrency-limit': '8',
  'x-svc-concurrency-remaining': '0',
  'x-svc-concurrency-source': 'tier_enterprise',
};

/** The metadata that the client reads from the headers of a model list. */
async function metaOf(headers: Record<string, string>, options = {}) {
  const { fetch } = scripted(jsonReply(200, { object: 'list', data: [] }, headers));
  return (await clientOf(fetch, options).models.list().withResponse()).meta;
}

describe('ResponseMeta', () => {
  test('contains every documented header, with numbers parsed', async () => {
    const meta = await metaOf(documented);
    expect(meta).toMatchObject({
      requestId: 'req_1',
      status: 200,
      chargeUsd: 0.125,
      wallet: 'unified',
      balanceUsd: 12.5,
      balanceCny: 90,
      readiness: { score: 87.5, status: 'ready' },
      taskId: 'task_1',
      idempotentReplay: true,
      concurrency: { limit: 8, remaining: 0, source: 'tier_enterprise' },
    });
    expect(meta.headers).toBeInstanceOf(Headers);
    expect(meta.headers.get('x-svc-wallet')).toBe('unified');
  });

  test('leaves missing headers undefined', async () => {
    const meta = await metaOf({});
    expect(meta.idempotentReplay).toBe(false);
    expect(meta.concurrency.limit).toBeUndefined();
    for (const name of ['requestId', 'chargeUsd', 'wallet', 'balanceUsd', 'readiness', 'taskId']) {
      expect(meta).toHaveProperty('status', 200);
      expect(meta[name as keyof typeof meta]).toBeUndefined();
    }
  });

  test.each(['', 'many', 'NaN', 'Infinity', '1e999', '8 slots'])(
    'leaves the invalid number %j undefined',
    async (value) => {
      const meta = await metaOf({ 'x-svc-charge-usd': value, 'x-svc-concurrency-limit': value });
      expect(meta.chargeUsd).toBeUndefined();
      expect(meta.concurrency.limit).toBeUndefined();
    },
  );

  test.each([
    ['true', true],
    ['True', true],
    ['true, true', true],
    ['false', false],
    ['', false],
  ])('reads a replay header of %j as %s', async (value, replay) => {
    expect((await metaOf({ 'x-svc-idempotent-replay': value })).idempotentReplay).toBe(replay);
  });

  test('is filled from the responses of the gateway', async () => {
    const { gateway } = onMock();
    const task = await gateway.images.submit(image, { idempotencyKey: 'row-1', requestId: 'mine' });
    expect(task.meta).toMatchObject({ requestId: 'mine', chargeUsd: 0.02, taskId: task.id });
    expect((await gateway.images.submit(image, { idempotencyKey: 'row-1' })).meta).toMatchObject({
      idempotentReplay: true,
    });
    const account = await gateway.account.retrieve().withResponse();
    expect(account.meta).toMatchObject({ wallet: 'unified', balanceUsd: account.data.balance.usd });
    const readiness = await gateway.account.readiness().withResponse();
    expect(readiness.meta.readiness).toEqual({
      score: readiness.data.score,
      status: readiness.data.status,
    });
  });

  test('headerPrefix replaces the prefix of all headers', async () => {
    const headers = Object.entries(documented).map(
      ([name, value]) => [name.replace('x-svc-', 'x-acme-'), value] as const,
    );
    const meta = await metaOf(Object.fromEntries(headers), { headerPrefix: 'x-acme-' });
    expect(meta).toMatchObject({ chargeUsd: 0.125, taskId: 'task_1', concurrency: { limit: 8 } });
    expect((await metaOf(documented, { headerPrefix: 'x-acme-' })).chargeUsd).toBeUndefined();
  });

  test('headerPrefix applies to the ledger and the concurrency limiter', async () => {
    const headers = { 'x-acme-charge-usd': '0.5', 'x-acme-concurrency-limit': '5' };
    const { fetch } = scripted(jsonReply(202, { id: 'task_1', status: 'queued' }, headers));
    const gateway = clientOf(fetch, { headerPrefix: 'x-acme-' });
    await gateway.images.submit(image);
    expect(gateway.spend.totalUsd).toBe(0.5);
    expect(gateway.concurrency.limit).toBe(5);
  });
});

describe('a request id', () => {
  test('of the caller is sent in x-request-id, and returned', async () => {
    const { mock, gateway } = onMock();
    const { meta } = await gateway.models.list({}, { requestId: 'job-7' }).withResponse();
    expect(mock.requests[0]?.headers['x-request-id']).toBe('job-7');
    expect(meta.requestId).toBe('job-7');
  });

  test('is sent and read in the header named by requestIdHeader', async () => {
    const { fetch, sent } = scripted(
      jsonReply(
        200,
        { object: 'list', data: [] },
        { 'x-trace': 'theirs', 'x-request-id': 'other' },
      ),
    );
    const gateway = clientOf(fetch, { requestIdHeader: 'x-trace' });
    const { meta } = await gateway.models.list({}, { requestId: 'mine' }).withResponse();
    expect(sent[0]?.headers.get('x-trace')).toBe('mine');
    expect(sent[0]?.headers.has('x-request-id')).toBe(false);
    expect(meta.requestId).toBe('theirs');
  });

  test('is read from x-request-id, then from x-oneapi-request-id', async () => {
    const both = { 'x-oneapi-request-id': 'two', 'x-request-id': 'one' };
    expect((await metaOf(both)).requestId).toBe('one');
    expect((await metaOf({ 'x-oneapi-request-id': 'two' })).requestId).toBe('two');
    expect((await metaOf(both, { requestIdHeader: 'x-trace' })).requestId).toBe('one');
  });

  test.each(['line\nbreak', 'ключ', 'nul\u0000'])(
    '%j is rejected and not quoted',
    async (requestId) => {
      const { fetch, sent } = scripted(modelList);
      const error = await caught(clientOf(fetch).models.list({}, { requestId }));
      expect(error.name).toBe('ConfigurationError');
      expect(error.message).toContain('requestId');
      expect(error.message).not.toContain(requestId);
      expect(sent).toHaveLength(0);
    },
  );

  test('of an error response is on the error', async () => {
    const { fetch } = scripted(errorReply(404, 'model_not_found', { 'x-request-id': 'req_9' }));
    const error = await caught(clientOf(fetch).models.retrieve('m'));
    expect(error.requestId).toBe('req_9');
    expect(error.message).toContain('req_9');
  });
});

describe('withResponse', () => {
  test('returns the data, the response and its meta with one request', async () => {
    const { fetch, sent } = scripted(completed);
    const call = clientOf(fetch).chat.completions.create(chat);
    const [data, result] = await Promise.all([call, call.withResponse()]);
    expect(result.data).toBe(data);
    expect(result.response).toBeInstanceOf(Response);
    expect(result.response.headers.get('content-type')).toBe('application/json');
    expect(result.meta.status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  test('rejects as the call does', async () => {
    const { fetch } = scripted(errorReply(404));
    const call = clientOf(fetch).models.retrieve('m');
    expect(await caught(call.withResponse())).toBe(await caught(call));
  });
});

describe('asResponse', () => {
  test('leaves the body unread', async () => {
    let pulled = 0;
    const slowReply: Reply = streamReply('{"object":"list",', (body) => {
      pulled += 1;
      if (pulled > 1) return body.close();
      body.enqueue(new TextEncoder().encode('"data":[]}'));
      return undefined;
    });
    const response = await clientOf(scripted(slowReply).fetch).models.list().asResponse();
    expect(response.bodyUsed).toBe(false);
    // A copy for hooks reads one chunk ahead. Reading the body would take two.
    expect(pulled).toBeLessThan(2);
    expect(await response.json()).toEqual({ object: 'list', data: [] });
  });

  test('accepts any body', async () => {
    const call = clientOf(scripted(textReply(200, '<html>')).fetch).models.list();
    expect(await (await call.asResponse()).text()).toBe('<html>');
  });

  test.each([
    [404, NotFoundError],
    [500, ServerError],
  ])('rejects on a %i like the call itself', async (status, Class) => {
    const call = clientOf(scripted(errorReply(status)).fetch, { maxRetries: 0 }).models.list();
    expect(await caught(call.asResponse())).toBeInstanceOf(Class);
  });

  test('is retried, keyed and charged like the call itself', async () => {
    const { mock, gateway } = onMock();
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    const response = await mock.clock.settle(gateway.images.submit(image).asResponse());
    expect(response.status).toBe(202);
    expect(mock.requests).toHaveLength(2);
    expect(new Set(mock.requests.map(({ headers }) => headers['x-idempotency-key'])).size).toBe(1);
    expect(gateway.spend.totalUsd).toBe(0.02);
  });

  test('releases its slot', async () => {
    const { fetch } = scripted(submitted);
    const gateway = clientOf(fetch, { concurrency: 1 });
    await gateway.images.submit(image).asResponse();
    await gateway.images.submit(image).asResponse();
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('of a chat stream returns the raw stream', async () => {
    const { gateway } = onMock();
    const call = gateway.chat.completions.create({ ...chat, stream: true });
    const response = await call.asResponse();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('data: [DONE]');
  });
});

describe('no rejection is left unhandled', () => {
  test.each([
    ['asResponse of a 404', [errorReply(404)]],
    ['asResponse of a connection reset', [reset]],
    ['asResponse of a success', [modelList]],
    ['asResponse of an unexpected body', [textReply(200, '<html>')]],
  ] as const)('by %s', async (_, replies) => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    const clock = virtualClock();
    const gateway = clientOf(scripted(...replies).fetch, { clock });
    await clock.settle(
      gateway.models
        .list()
        .asResponse()
        .catch(() => undefined),
    );
    await clock.settle(
      gateway.models
        .list()
        .withResponse()
        .catch(() => undefined),
    );
    await turns(20);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
