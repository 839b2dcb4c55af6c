import { AbortedError } from '../errors/aborted.ts';
import type { ChatCompletion } from '../schemas/chat-completion.ts';
import type { Source } from './source.ts';

/** A place in the line of items; it keeps its item until every reader has passed it. */
interface Place<Item> {
  result?: Promise<IteratorResult<Item, undefined>>;
  next?: Place<Item>;
}

/** Two sources of the same items, each read at its own speed. What only one of them has read waits for the other. */
export function fork<Item>(source: Source<Item>): [Source<Item>, Source<Item>] {
  const start: Place<Item> = {};
  let readers = 2;
  const leave = (whenLast: () => void) => {
    readers -= 1;
    if (readers === 0) whenLast();
  };
  return [new Branch(source, start, leave), new Branch(source, start, leave)];
}

class Branch<Item> implements Source<Item> {
  readonly completion: Promise<ChatCompletion>;
  readonly clock;
  readonly #source: Source<Item>;
  readonly #leave: (whenLast: () => void) => void;
  #place: Place<Item>;
  #failure: AbortedError | undefined;
  #rejectNext: (error: unknown) => void = () => undefined;
  #rejectCompletion: (error: unknown) => void = () => undefined;

  constructor(source: Source<Item>, start: Place<Item>, leave: (whenLast: () => void) => void) {
    this.#source = source;
    this.#place = start;
    this.#leave = leave;
    this.clock = source.clock;
    this.completion = new Promise((resolve, reject) => {
      this.#rejectCompletion = reject;
      source.completion.then(resolve, reject);
    });
    this.completion.catch(() => undefined);
  }

  get meta() {
    return this.#source.meta;
  }

  get partial() {
    return this.#source.partial;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#failure !== undefined) throw this.#failure;
    const place = this.#place;
    place.result ??= this.#source.next();
    const { result } = place;
    this.#place = place.next ??= {};
    return new Promise((resolve, reject) => {
      this.#rejectNext = reject;
      result.then(resolve, reject);
    });
  }

  ready(): undefined {
    return undefined;
  }

  abort(reason?: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = new AbortedError('Aborted by the caller.', {
      cause: reason,
      outcome: 'unknown',
    });
    this.#rejectNext(this.#failure);
    this.#rejectCompletion(this.#failure);
    this.#leave(() => this.#source.abort(reason));
  }

  desert(): void {
    if (this.#failure === undefined) this.#leave(() => this.#source.desert());
  }
}
