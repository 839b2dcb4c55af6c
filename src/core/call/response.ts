import type { SchemaIssue } from '../../schemas/standard-schema.ts';
import { BodyTooLargeError, readBodyText } from '../http/response-body.ts';
import type { Config } from '../config/config.ts';
import { parseJson, describeNonJson } from '../http/error-body.ts';
import type { CallErrors } from './failures.ts';
import type { Release } from '../limits/concurrency-limiter.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { ResponseReader } from './api-call.ts';

/** What came back for a call. */
export interface ApiResponse<Result> {
  readonly response: Response;
  readonly meta: ResponseMeta;
  readonly data: Result;
}

/** An answer whose headers have arrived and are good. */
export interface ResponseContext {
  readonly response: Response;
  readonly meta: ResponseMeta;
  readonly failures: CallErrors;
  readonly config: Config;
  /** Ends when the attempt does. */
  readonly signal: AbortSignal;
  /** Keeps the concurrency slot beyond the end of the call, for answers that go on. */
  readonly retainSlot: () => Release;
}

/** Turns an arrival into the result of a call. */
export type ResponseHandler<Result> = (arrival: ResponseContext) => Promise<Result>;

/** Finishes a call whose answer is one JSON document. */
export function readJson<Result>(read: ResponseReader<Result>): ResponseHandler<Result> {
  return async ({ response, meta, failures, signal, config: { maxResponseBytes } }) => {
    const text = await readBodyText(response, maxResponseBytes, signal).catch((error: unknown) => {
      throw error instanceof BodyTooLargeError
        ? failures.invalidResponse(
            meta,
            `the body is longer than maxResponseBytes (${maxResponseBytes})`,
          )
        : failures.connectionError(error);
    });
    const body = parseJson(text);
    if (body === text) {
      const what = describeNonJson(text);
      const problem = what === text ? 'the body is not JSON' : what;
      throw failures.invalidResponse(meta, what === '' ? 'the body is empty' : problem, text);
    }
    const result = await read(body, meta);
    if (result.issues === undefined) return result.value;
    throw failures.invalidResponse(
      meta,
      result.issues.map(formatIssue).join('; '),
      body,
      result.issues,
    );
  };
}

/** Finishes a call whose body is left to the caller. */
export const keepBodyUnread: ResponseHandler<undefined> = async () => undefined;

/** Where something is wrong, and what. */
export function formatIssue({ path = [], message }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return [keys.join('.'), message].filter(Boolean).join(': ');
}
