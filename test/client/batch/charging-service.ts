/** A service that charges each attempt of a row, and batches of its client. */
import type { BatchOptions, BatchProgress, PolygateOptions } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { onMock } from '../support.ts';
import { describeChat, describeImage, newProcess, numbers } from './support.ts';

export const sumOf = (amounts: readonly number[]) =>
  Math.round(amounts.reduce((sum, usd) => sum + usd, 0) * 1e9) / 1e9;
export const invoiceOf = ({ invoice }: MockGateway) => sumOf(invoice.map(({ usd }) => usd));

/** A service that carries out and charges every request. */
interface Service {
  /** Whether a response is replaced by a 500 with its charge. The requests are counted from 0. */
  readonly fails: (request: number) => boolean;
  readonly ignoresKeys?: boolean;
  /** Whether a response says nothing about its charge. */
  readonly isSilent?: (request: number) => boolean;
  /** What replays report instead of the charge. */
  readonly replayUsd?: string | undefined;
  /** Called when a request arrives. */
  readonly onRequest?: (request: number) => void;
  /** Called before a response is returned. */
  readonly onResponse?: (request: number) => Promise<void>;
}

export function start(service: Service, options: PolygateOptions = {}) {
  const { fails, ignoresKeys, isSilent, replayUsd, onRequest, onResponse } = service;
  const { mock } = onMock({ tasks: { durationMs: 0 }, assumptions: { A11: 'replay' } });
  let requests = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (ignoresKeys) request.headers.delete('x-idempotency-key');
    if (request.method === 'GET') return mock.fetch(request);
    const number = requests;
    requests += 1;
    onRequest?.(number);
    const { body, status, headers } = await mock.fetch(request);
    await onResponse?.(number);
    headers.delete('content-length');
    if (replayUsd !== undefined && headers.has('x-svc-idempotent-replay')) {
      headers.set('x-svc-charge-usd', replayUsd);
    }
    if (isSilent?.(number)) headers.delete('x-svc-charge-usd');
    if (!fails(number)) return new Response(body, { status, headers });
    headers.delete('x-svc-task-id');
    const error = { message: 'Failed', type: 'api_error', code: 'internal_error' };
    return new Response(JSON.stringify({ error }), { status: 500, headers });
  };
  const create = () =>
    newProcess({ mock }, { fetch, retryAmbiguous: { chat: true }, ...options }).gateway;
  return { mock, create, sent: () => requests };
}

export const everyOther = (request: number) => request % 2 === 0;

/** Runs a batch until it ends or pauses, and returns what it says. */
export async function run(
  { mock, create }: Pick<ReturnType<typeof start>, 'mock' | 'create'>,
  kind: 'image' | 'chat',
  rows: number,
  options: BatchOptions<number>,
) {
  const gateway = create();
  const statuses: string[] = [];
  const messages: string[] = [];
  let usd = 0;
  let estimatedUsd: number | undefined;
  const onProgress = (progress: BatchProgress) => void ({ usd, estimatedUsd } = progress);
  const consume = async () => {
    const given = { ...options, onProgress };
    const batch =
      kind === 'image'
        ? gateway.batch(numbers(rows), describeImage(gateway), given)
        : // All chats cost the same.
          gateway.batch(numbers(rows), () => describeChat(gateway)(0), given);
    for await (const { status, error } of batch) {
      statuses.push(status);
      if (error) messages.push(error.message);
    }
  };
  await mock.clock.settle(consume().catch(({ message }: Error) => void messages.push(message)));
  return { statuses, messages, usd, estimatedUsd, saidUsd: sumOf([usd, estimatedUsd ?? 0]) };
}
