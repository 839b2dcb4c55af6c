import { existsSync } from 'node:fs';

import * as z from 'zod/mini';

import { ConfigurationError } from '../../../errors/base.ts';
import { isRecord, textOf } from '../../../wire/types/type-guards.ts';
import type { Redactor } from './redactor.ts';

/** A network error: its message and code, then those of its causes. */
const errorChain = z.array(z.object({ message: z.string(), code: z.optional(z.string()) }));

/** A request as it is stored and matched. */
export interface RecordedRequest {
  /** HTTP method. */
  method: string;
  /** Path and query. Requests to other hosts than the gateway have the whole URL. */
  path: string;
  /** JSON as such, text as a string, anything else in base64. */
  body?: unknown;
}

const recordedRequest: z.ZodMiniType<RecordedRequest> = z.strictObject({
  method: z.string(),
  path: z.string(),
  body: z.optional(z.unknown()),
});

const recordedResponse = z.strictObject({
  status: z.int().check(z.gte(200), z.lte(599)),
  headers: z.record(z.string(), z.string()),
  /** A body that is JSON. */
  body: z.optional(z.unknown()),
  /** Any other body that is text. */
  text: z.optional(z.string()),
  /** The events of a stream: the data of one that is JSON, and the text of any other. */
  events: z.optional(z.array(z.unknown())),
  /** Name of the file with any other body. */
  file: z.optional(z.string()),
  /** The error that ended the body too early. */
  truncated: z.optional(errorChain),
  /** Ms until the headers, and between the events. */
  ms: z.optional(z.number()),
  gaps: z.optional(z.array(z.number())),
});

const recording = z.strictObject({
  request: recordedRequest,
  response: z.optional(recordedResponse),
  /** The error, if there is no response. */
  lost: z.optional(errorChain),
  /** The caller aborted before there was a response. */
  aborted: z.optional(z.literal(true)),
});

const tape = z.object({
  version: z.literal(1),
  /** The end of `await using` has written the tape. It does not know whether the run has failed. */
  provisional: z.optional(z.literal(true)),
  recordings: z.array(recording),
});

/** What a tape contains. */
export type TapeContent = Pick<z.infer<typeof tape>, 'provisional' | 'recordings'>;

type ErrorChain = z.infer<typeof errorChain>;

export type RecordedResponse = z.infer<typeof recordedResponse>;

/** A request, and its response or why it has none. */
export type Recording = z.infer<typeof recording>;

/** The text of a tape, with one line per value or event of a stream, so that changes can be reviewed. */
export function formatTape({ provisional, recordings }: TapeContent): string {
  const lines: string[] = [];
  const withMarks = (name: string, value: unknown): unknown => {
    if (name !== 'events' || !Array.isArray(value)) return value;
    return value.map((event: unknown) => `\0${lines.push(JSON.stringify(event)) - 1}`);
  };
  const text = JSON.stringify({ version: 1, provisional, recordings }, withMarks, 2);
  return `${text.replaceAll(/"\\u0000(\d+)"/g, (_, index: string) => lines[Number(index)] ?? '')}\n`;
}

/**
 * Parses the text of a tape. `fileOf` returns the path of a file that belongs to it.
 *
 * @throws `ConfigurationError` that names the damaged part, if the tape is damaged.
 */
export function parseTape(
  text: string,
  path: string,
  fileOf: (name: string) => string,
): TapeContent {
  const damaged = (location: string) =>
    new ConfigurationError(
      `The tape ${path} is damaged: ${location}. Restore the file, or delete it and record it again.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : 'it is not JSON');
  }
  const result = tape.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const location = issue?.path.map(String).join('.') || 'the top level';
    throw damaged(`${location}: ${issue?.message ?? 'invalid'}`);
  }
  for (const [index, { response, lost, aborted }] of result.data.recordings.entries()) {
    const location = `recordings.${index}`;
    if ([response, lost, aborted].filter(Boolean).length !== 1) {
      throw damaged(`${location}: has no response`);
    }
    if (!response) continue;
    if (!isHeaders(response.headers)) throw damaged(`${location}.response.headers: invalid`);
    const { body, events, file } = response;
    const inPieces = response.text ?? events;
    if ([body, inPieces, file].filter((each) => each !== undefined).length > 1) {
      throw damaged(`${location}.response: has several bodies`);
    }
    if (file !== undefined && !existsSync(fileOf(file))) {
      throw damaged(`${location}.response.file: ${fileOf(file)} does not exist`);
    }
  }
  return result.data;
}

function isHeaders(headers: Record<string, string>): boolean {
  try {
    return Boolean(new Headers(headers));
  } catch {
    return false;
  }
}

/** How many causes of an error are stored. */
const maxCauses = 5;

/** What clients can learn from an error: the messages and codes of it and its causes. */
export function toErrorChain(error: unknown, redactor: Redactor): ErrorChain {
  const chain: ErrorChain = [];
  for (let link = error; isRecord(link) && chain.length < maxCauses; link = link.cause) {
    const message = redactor.text(textOf(link.message) ?? '');
    const code = textOf(link.code);
    chain.push(code === undefined ? { message } : { message, code });
  }
  return chain.length > 0 ? chain : [{ message: redactor.text(String(error)) }];
}

/** An error like the recorded one, as `fetch` throws it. */
export function toNetworkError(chain: ErrorChain): Error {
  const [first, ...causes] = chain;
  const cause = causes.reduceRight<Error | undefined>(
    (inner, { message, code }) =>
      Object.assign(new Error(message, inner && { cause: inner }), code && { code }),
    undefined,
  );
  const error = new TypeError(first?.message ?? 'fetch failed', cause && { cause });
  return Object.assign(error, first?.code && { code: first.code });
}
