import type { JSONObject, SharedV4ProviderOptions, SharedV4Warning } from '@ai-sdk/provider';
import type { RequestOptions } from 'polygate';

import { ConfigurationError } from '../../errors/base.ts';
import { ownHeaders } from '../../internal/gateway-fetch.ts';
import { optionAmong } from '../../internal/option-names.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';

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
