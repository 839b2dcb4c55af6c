import { createHash } from 'node:crypto';

import { vi } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import type { BatchOptions, Journal, PolygateOptions } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { collect } from '../../support/rejection.ts';
import { image } from '../support.ts';

// Virtual time does not wait for the threads that hash in real time, so here the same hash is made at once.
vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (_, data) => {
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer) : new Uint8Array(data);
  return Uint8Array.from(createHash('sha256').update(bytes).digest()).buffer;
});

/** A journal in memory, that says what happens to it. */
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

/** What the lines of a journal are, in order. */
export function typesIn({ lines }: MemoryJournal): unknown[] {
  return lines.map((line) => JSON.parse(line).type);
}

/** Another process: a client of the same gateway that knows nothing. */
export function another({ mock }: { mock: MockGateway }, options: PolygateOptions = {}) {
  const { apiKey, baseURL, fetch, clock } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, clock, logLevel: 'off', ...options });
  return { mock, gateway };
}

/** Numbers from 0. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** An image for each row, named after it, to the end. */
export function draw<Input>(
  { mock, gateway }: { mock: MockGateway; gateway: Polygate },
  rows: Iterable<Input> | AsyncIterable<Input>,
  options: BatchOptions<Input> = {},
) {
  return mock.clock.settle(collect(gateway.batch(rows, drawing(gateway), options)));
}

/** Describes an image for a row, named after it. */
export function drawing(gateway: Polygate, model = image.model) {
  return (row: unknown) => gateway.images.submission({ model, prompt: `Harbour ${String(row)}` });
}

/** The keys of all charges, which are as many as there are when none was paid twice. */
export function paidKeys({ invoice }: MockGateway): Set<string | undefined> {
  return new Set(invoice.map(({ idempotencyKey }) => idempotencyKey));
}
