import { ConfigurationError, PaymentRequiredError, Polygate } from '../../../src/index.ts';
import type { BatchOptions, Journal, PolygateOptions, RecoveredRow } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { prepareProcess } from '../../support/prepared-process.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { image, unwatched } from '../support.ts';

prepareProcess();

/** A journal in memory, with access to its lines. */
export interface MemoryJournal extends Journal {
  readonly lines: string[];
}

export function memoryJournal(lines: string[] = [], options: Partial<Journal> = {}): MemoryJournal {
  return {
    lines,
    async *read() {
      yield* lines.slice();
    },
    append: async (line) => {
      lines.push(line);
    },
    ...options,
  };
}

/** The types of the lines of a journal, in order. */
export function lineTypes({ lines }: MemoryJournal): unknown[] {
  return lines.map((line) => JSON.parse(line).type);
}

/** Simulates another process: a new client of the same gateway, without shared state. */
export function newProcess({ mock }: { mock: MockGateway }, options: PolygateOptions = {}) {
  const { apiKey, baseURL, fetch, clock } = mock;
  if (options.fetch) unwatched(clock);
  const gateway = new Polygate({ apiKey, baseURL, fetch, clock, logLevel: 'off', ...options });
  return { mock, gateway };
}

/** Numbers from 0. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Runs a batch with one image per row, and collects its results. */
export function runImageBatch<Input>(
  { mock, gateway }: { mock: MockGateway; gateway: Polygate },
  rows: Iterable<Input> | AsyncIterable<Input>,
  options: BatchOptions<Input> = {},
) {
  return mock.clock.settle(collect(gateway.batch(rows, describeImage(gateway), options)));
}

/** Returns a `describe` function for an image with the row in its prompt. */
export function describeImage(gateway: Polygate, model = image.model) {
  return (row: unknown) => gateway.images.submission({ model, prompt: `Harbor ${String(row)}` });
}

/** The distinct keys of all charges. There are as many as charges if none was paid twice. */
export function chargedKeys({ invoice }: MockGateway): Set<string | undefined> {
  return new Set(invoice.map(({ idempotencyKey }) => idempotencyKey));
}

/** Iterates over a batch that pauses. Returns the results that it yielded before its error, and the error. */
export async function paused<Row extends RecoveredRow>(
  { mock }: { mock: MockGateway },
  batch: AsyncIterable<Row>,
) {
  const rows: Row[] = [];
  const consume = async () => {
    for await (const row of batch) rows.push(row);
  };
  const error = await mock.clock.settle(rejection(PaymentRequiredError, consume()));
  return { rows, error };
}

/** Runs a batch with one image per row, which pauses. */
export const pausedImages = <Input>(
  world: ReturnType<typeof newProcess>,
  inputs: Iterable<Input> | AsyncIterable<Input>,
  options: BatchOptions<Input> = {},
) => paused(world, world.gateway.batch(inputs, describeImage(world.gateway), options));

/** The statuses of all POST requests, in order. */
export const submitStatuses = ({ requests }: MockGateway) =>
  requests.filter(({ method }) => method === 'POST').map(({ status }) => status);

/** A journal in memory that one batch at a time can use, as chats require. */
export function lockedJournal(lines: string[] = [], options: Partial<Journal> = {}): MemoryJournal {
  let isLocked = false;
  const lock = async () => {
    if (isLocked) throw new ConfigurationError('journal: is in use by process 7.');
    isLocked = true;
    return async () => {
      isLocked = false;
    };
  };
  return memoryJournal(lines, { lock, ...options });
}

/** Returns a `describe` function for a chat with the row in its prompt. */
export function describeChat(gateway: Polygate, model = 'aurora-chat') {
  return (row: unknown) =>
    gateway.chat.completions.submission({
      model,
      messages: [{ role: 'user', content: `Label ${String(row)}` }],
    });
}

/** Runs a batch with one chat per row, and collects its results. */
export function runChatBatch<Input>(
  { mock, gateway }: { mock: MockGateway; gateway: Polygate },
  rows: Iterable<Input> | AsyncIterable<Input>,
  options: BatchOptions<Input> = {},
) {
  return mock.clock.settle(collect(gateway.batch(rows, describeChat(gateway), options)));
}

/** All requests for chats that have reached the service. */
export const chatRequests = ({ requests }: MockGateway) =>
  requests.filter(({ path }) => path === '/v1/chat/completions');
