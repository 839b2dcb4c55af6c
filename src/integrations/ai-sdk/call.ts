import type { JSONObject, SharedV4ProviderOptions, SharedV4Warning } from '@ai-sdk/provider';
import { InvalidArgumentError } from '@ai-sdk/provider';
import type { RequestOptions } from 'polygate';

import type { Polygate } from '../../client.ts';
import { ConfigurationError, PolygateError } from '../../errors/base.ts';
import { AbortedError } from '../../errors/call.ts';
import {
  ownHeaders,
  optionAmong,
  downloadDelay,
  canDownloadLater,
  contextOf,
} from '../../internal.ts';
import type { ResponseDetails } from '../../internal.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import { isRecord } from '../../wire/types/type-guards.ts';

/** A model of the provider, and the client that sends its requests. */
export abstract class ProviderModel {
  readonly specificationVersion = 'v4';
  readonly modelId: string;
  readonly #client: Polygate;

  constructor(modelId: string, client: Polygate) {
    this.modelId = modelId;
    this.#client = client;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  protected get client(): Polygate {
    return this.#client;
  }
}

/** What the AI SDK passes to every model. */
interface CallOptions {
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly providerOptions?: SharedV4ProviderOptions | undefined;
}

/** The options of a call of the client, and the fields of `providerOptions.polygate` that belong in its params. */
export function readCallOptions({ abortSignal, headers = {}, providerOptions }: CallOptions): {
  options: RequestOptions;
  params: JSONObject;
} {
  const { idempotencyKey, fallback, ...params } = providerOptions?.polygate ?? {};
  checkFields(params);
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const sent = entries.filter(([name]) => !ownHeaders.includes(name));
  const { 'idempotency-key': header, 'x-idempotency-key': ownHeader } = Object.fromEntries(entries);
  const key = idempotencyKey ?? ownHeader ?? header;
  return {
    options: {
      headers: Object.fromEntries(sent),
      ...(abortSignal && { signal: abortSignal }),
      // Values of other types are rejected by the client.
      ...(key !== undefined && { idempotencyKey: unchecked<string>(key) }),
      ...(fallback !== undefined && { fallback: unchecked<string[]>(fallback) }),
    },
    params,
  };
}

/**
 * Rejects provider options that are named like another option of a call: as fields of the body, they have no effect.
 *
 * @throws {@link ConfigurationError} that says where the option belongs.
 */
export function checkFields(params: object): void {
  const name = optionAmong(params);
  if (name === undefined) return;
  throw new ConfigurationError(
    `providerOptions.polygate.${name}: is an option of the call, not a field of the body. Pass abortSignal, headers and maxRetries to the function of the AI SDK, and other options to the client.`,
  );
}

/** The warnings for settings that are set although the service does not have them. */
export function unsupported(settings: Readonly<Record<string, unknown>>): SharedV4Warning[] {
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([feature]) => ({ type: 'unsupported', feature }));
}

/** `providerMetadata.polygate` of a call, without unknown fields. */
export function metadataOf(
  { chargeUsd, requestId, idempotentReplay }: ResponseMeta,
  task: { readonly id?: string | undefined; readonly idempotencyKey?: string | undefined } = {},
) {
  return omitUndefined<JSONObject>({
    chargeUsd,
    requestId,
    taskId: task.id,
    idempotencyKey: task.idempotencyKey,
    replayed: idempotentReplay,
  });
}

/** What the AI SDK reports about a response. */
export function responseOf(modelId: string, meta: ResponseMeta | undefined) {
  return { timestamp: new Date(), modelId, headers: Object.fromEntries(meta?.headers ?? []) };
}

/**
 * Names an error as the AI SDK does: `AbortError` after an abort by the user, `TimeoutError` after a timeout of the AI
 * SDK.
 */
export function toAbort(error: unknown, signal: AbortSignal | null | undefined): unknown {
  const isOther = PolygateError.is(error) && !AbortedError.is(error);
  if (!signal?.aborted || isOther || isAbort(error)) return error;
  const message = error instanceof Error ? error.message : 'Aborted by the caller.';
  const name = isAbort(signal.reason) ? signal.reason.name : 'AbortError';
  return Object.assign(new Error(message, { cause: error }), { name });
}

/** The client's error for one that ended a call. It stays as it is if no response has arrived. */
export function toGenerateError(error: unknown, response: ResponseDetails | undefined): unknown {
  if (response === undefined) return error;
  return (
    clientError(error) ??
    response.bodyErrors?.invalidResponse(messageOf(error), bodyOf(error)) ??
    error
  );
}

/** The client's error for one that ended a stream, or that the stream contains. */
export function toStreamError(error: unknown, response: ResponseDetails | undefined): unknown {
  const { bodyErrors } = response ?? {};
  return (
    clientError(error) ??
    (error instanceof Error
      ? bodyErrors?.invalidStream(messageOf(error))
      : bodyErrors?.streamErrorEvent(JSON.stringify({ error }))) ??
    error
  );
}

/** An error that needs no conversion: an abort, or an error of the client that the AI SDK may have wrapped. */
function clientError(error: unknown): unknown {
  if (isAbort(error) || PolygateError.is(error)) return error;
  return isRecord(error) && PolygateError.is(error.cause) ? error.cause : undefined;
}

/** Whether the AI SDK regards an error as an abort. */
export function isAbort(error: unknown): error is Error {
  return error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name);
}

/** The message of an error of the AI SDK, which can quote the whole response. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}

function bodyOf(error: unknown): unknown {
  return isRecord(error) ? (error.responseBody ?? error.data) : undefined;
}

const maxRetries = 2;

/**
 * The URL of a file. The service takes URLs only.
 *
 * @throws InvalidArgumentError if the file is data.
 */
export function urlOf(
  file: { readonly type: 'url'; readonly url: string } | { readonly type: 'file' },
  parameter: string,
): string {
  if (file.type === 'url') return file.url;
  throw new InvalidArgumentError({
    argument: parameter,
    message: `${parameter}: must be a URL, because the service does not take uploads. Nothing was sent.`,
  });
}

const unverified: SharedV4Warning = {
  type: 'other',
  message:
    'The server of the result reported no size, so the file may be incomplete. Downloading it again is free.',
};

/**
 * Downloads a result of a finished task, without credentials. Tries again after a temporary failure: a download is
 * free, and the AI SDK would lose the task, which was paid for.
 */
export async function downloadFile(
  client: Polygate,
  task: TaskHandle,
  index: number,
  signal: AbortSignal | undefined,
) {
  for (let retry = 0; ; retry += 1) {
    try {
      const response = await client.download(task, { index, ...(signal && { signal }) });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const contentType = response.headers.get('content-type');
      return { bytes, contentType, warnings: response.complete === true ? [] : [unverified] };
    } catch (error) {
      if (signal?.aborted) {
        const message = `Aborted by the caller. Task ${task.id} is not lost: download its result with gateway.download(error.task).`;
        throw new AbortedError(message, { task, cause: signal.reason });
      }
      if (retry === maxRetries || !canDownloadLater(error)) throw error;
      // If the signal aborts, the next download reports it.
      await contextOf(client)
        .clock.sleep(downloadDelay(retry), signal)
        .catch(() => undefined);
    }
  }
}
