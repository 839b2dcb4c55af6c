import type { SchemaIssue } from '../../schemas/standard-schema.ts';
import { TooLarge, readText } from '../http/response-body.ts';
import type { Config } from '../config/config.ts';
import { parseJson, plainText } from '../http/error-body.ts';
import type { Failures } from './failures.ts';
import type { Release } from '../limits/concurrency-limiter.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { Read } from './api-call.ts';

/** What came back for a call. */
export interface Answer<Result> {
  readonly response: Response;
  readonly meta: ResponseMeta;
  readonly data: Result;
}

/** An answer whose headers have arrived and are good. */
export interface Arrival {
  readonly response: Response;
  readonly meta: ResponseMeta;
  readonly failures: Failures;
  readonly config: Config;
  /** Ends when the attempt does. */
  readonly signal: AbortSignal;
  /** Keeps the concurrency slot beyond the end of the call, for answers that go on. */
  readonly hold: () => Release;
}

/** Turns an arrival into the result of a call. */
export type Finish<Result> = (arrival: Arrival) => Promise<Result>;

/** Finishes a call whose answer is one JSON document. */
export function readJson<Result>(read: Read<Result>): Finish<Result> {
  return async ({ response, meta, failures, signal, config: { maxResponseBytes } }) => {
    const text = await readText(response, maxResponseBytes, signal).catch((error: unknown) => {
      throw error instanceof TooLarge
        ? failures.unexpected(
            meta,
            `the body is longer than maxResponseBytes (${maxResponseBytes})`,
          )
        : failures.disconnected(error);
    });
    const body = parseJson(text);
    if (body === text) {
      const what = plainText(text);
      const problem = what === text ? 'the body is not JSON' : what;
      throw failures.unexpected(meta, what === '' ? 'the body is empty' : problem, text);
    }
    const result = await read(body, meta);
    if (result.issues === undefined) return result.value;
    throw failures.unexpected(meta, result.issues.map(describe).join('; '), body, result.issues);
  };
}

/** Finishes a call whose body is left to the caller. */
export const leaveBody: Finish<undefined> = async () => undefined;

/** Where something is wrong, and what. */
export function describe({ path = [], message }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return [keys.join('.'), message].filter(Boolean).join(': ');
}
