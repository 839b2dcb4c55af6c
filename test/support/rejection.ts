import { expect } from 'vitest';

/** The error that a promise rejects with, which must be an instance of this class. */
export async function rejection<Failure extends Error>(
  kind: abstract new (...args: never[]) => Failure,
  promise: Promise<unknown>,
): Promise<Failure> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const error = 'error' in outcome ? outcome.error : undefined;
  if (error instanceof kind) return error;
  expect(outcome, `must reject with ${kind.name}`).toEqual({ error: expect.any(kind) });
  throw new Error('unreachable');
}

/** All items of an async iterable. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
