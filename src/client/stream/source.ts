import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { Clock } from '../config/clock.ts';

/** The result of a complete stream. It is assembled only when `completion` is read, which may never happen. */
export interface FinalCompletion {
  readonly completion: ChatCompletion;
}

/** Supplies the items of a stream: a response, a response that is still pending, or one branch of a `tee()`. */
export interface Source<Item> {
  /** Parsed response headers; undefined until they arrive. */
  readonly meta: ResponseMeta | undefined;
  /** The completion accumulated so far; undefined before the first chunk. */
  readonly partial: ChatCompletion | undefined;
  /**
   * Resolves once the stream is proven complete, and rejects with the error that ended it. A rejection that is never
   * handled is not reported as unhandled.
   */
  readonly final: Promise<FinalCompletion>;
  /** Clock for every timer of this stream. */
  readonly clock: Clock;
  /** Resolves to the next item, or to `done` once the stream is proven complete; rejects if the stream fails. */
  next(): Promise<IteratorResult<Item, undefined>>;
  /** Removes and returns the next item if it has already been received. Reads nothing from the network. */
  takeBuffered(): Item | undefined;
  /** Fails the stream with an `AbortedError` whose `cause` is `reason`, and cancels the response body. */
  abort(reason?: unknown): void;
  /** Reports that the consumer was garbage collected mid-stream. The stream then fails after its idle timeout. */
  abandon(): void;
}
