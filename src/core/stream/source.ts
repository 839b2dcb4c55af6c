import type { ChatCompletion } from '../../schemas/chat-completion.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { Clock } from '../config/clock.ts';

/** A whole answer; it is put together when it is asked for, which perhaps nobody does. */
export interface FinalCompletion {
  readonly completion: ChatCompletion;
}

/** Where the items of a stream come from. */
export interface Source<Item> {
  /** What the headers of the answer tell; undefined until they are here. */
  readonly meta: ResponseMeta | undefined;
  /** What has arrived so far, put together. */
  readonly partial: ChatCompletion | undefined;
  /** Settles once the end is proven, or with what kept the answer from being whole. */
  readonly final: Promise<FinalCompletion>;
  readonly clock: Clock;
  /** The next item, or the proven end. */
  next(): Promise<IteratorResult<Item, undefined>>;
  /** An item that is here already, for those who want many at once. */
  takeBuffered(): Item | undefined;
  /** Ends it before its end; `reason` is the caller's. */
  abort(reason?: unknown): void;
  /** Whoever read it is gone and never said so: nobody will miss it when it has been left alone for long. */
  abandon(): void;
}
