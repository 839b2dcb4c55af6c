import { parseJson } from '../../../internal.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { ProxyError } from '../error-response.ts';
import type { Route } from '../routes.ts';
import { fieldsOf, repeatsField } from './json-fields.ts';

/**
 * Reads the whole body of a POST before anything is sent. Only JSON is accepted: other types can be submitted by a form
 * on any website, without a preflight.
 */
export async function readBody(
  request: Request,
  maxBodyBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers } = request;
  if (!/^application\/json *(;|$)/i.test(headers.get('content-type') ?? '')) {
    throw new ProxyError(415, 'unsupported_media_type', 'The body must be application/json.');
  }
  if (headers.has('content-encoding')) {
    throw new ProxyError(415, 'unsupported_media_type', 'The body must not be compressed.');
  }
  if (request.bodyUsed)
    throw new Error(
      'The body was read before the proxy could read it. Do not read it in `authorize`.',
    );
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
    chunks.push(chunk.value);
    length += chunk.value.byteLength;
    if (length <= maxBodyBytes) continue;
    reader?.cancel().catch(() => {});
    throw new ProxyError(413, 'request_too_large', 'The body is too large.');
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Parses a JSON object. Returns undefined for anything else. */
export function parseRecord(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** A JSON object as the page sent it. */
interface JsonBody {
  readonly text: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** The fields at its top level, and those of `extra_body`. */
  readonly names: readonly string[];
  readonly extraNames: readonly string[];
}

/** Fields that determine the price of a request, and those that contain them. */
const pricedNames = [
  'model',
  'extra_body',
  'n',
  'num_images',
  'size',
  'resolution',
  'duration',
  'input_video_seconds',
  'text',
  'input',
  'preview_text',
];

/**
 * Reads a body whose fields matter to the proxy.
 *
 * @throws a 400 if it is not a JSON object, or repeats a field: services differ in which one they read.
 */
export function readFields(bytes: Uint8Array): JsonBody {
  const text = decode(bytes);
  const record = text === undefined ? undefined : parseRecord(text);
  if (text === undefined || record === undefined) {
    throw invalidBody('The body must be a JSON object in UTF-8.');
  }
  const fields = fieldsOf(text);
  const names = fields.map(([name]) => name);
  if (new Set(names).size < names.length) throw invalidBody('The body must not repeat a field.');
  const extra = fields.find(([name]) => name === 'extra_body')?.[1] ?? '';
  return { text, record, names, extraNames: fieldsOf(extra).map(([name]) => name) };
}

/**
 * Rejects a body that repeats a field anywhere, or whose own fields or those of `extra_body` differ only in what some
 * services ignore.
 */
export function checkRepeatedNames({ text, names, extraNames }: JsonBody): void {
  if (repeatsField(text)) throw invalidBody('The body must not repeat a field.');
  for (const list of [names, extraNames]) {
    if (new Set(list.map(folded)).size === list.length) continue;
    throw invalidBody(
      'The body must not repeat a field, even with other letter case, underscores or hyphens.',
    );
  }
}

/**
 * Rejects a body that sets a field under a name that only some services read as that field: its price could not be
 * estimated.
 */
export function checkPricedNames({ names, extraNames }: JsonBody): void {
  const priced = (name: string) => pricedByFolded.get(folded(name));
  const misnamed = names.find((name) => (priced(name) ?? name) !== name);
  const nested = extraNames.find((name) => (priced(name) ?? name) !== name);
  const hidden = extraNames.find((name) => {
    const known = priced(name);
    return known !== undefined && known !== 'input_video_seconds';
  });
  const name = misnamed ?? nested ?? hidden;
  if (name === undefined) return;
  throw invalidBody(
    `The body must set ${priced(name) ?? name} only at its top level, and under this name: it determines the price.`,
  );
}

/**
 * A name as services may read it: those in Go match names by Unicode case folding, some libraries ignore
 * underscores and hyphens, and a name ends at a NUL for code written in C.
 */
export function folded(name: string): string {
  const [start = ''] = name.split('\0');
  return start.replace(/[_-]/g, '').toUpperCase().toLowerCase();
}

const pricedByFolded = new Map(pricedNames.map((name) => [folded(name), name]));

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function invalidBody(message: string): ProxyError {
  return new ProxyError(400, 'invalid_request_parameter', message);
}

/**
 * Rejects a body whose model is missing or not allowed, and a body that services can read in different ways: they might
 * use a model that was not checked. The body itself is forwarded unchanged.
 */
export function checkModel(
  { names, extraNames, text }: JsonBody,
  models: readonly string[],
  { needsModel }: Route,
): void {
  const others = names.filter((name) => name !== 'model' && name !== 'extra_body');
  if ([...others, ...extraNames].some(canSetModel)) {
    throw invalidBody('The body must not set the model in any other field than `model`.');
  }
  const model = fieldsOf(text).find(([name]) => name === 'model')?.[1];
  if (model === undefined) {
    if (!needsModel) return;
    throw invalidBody('The body must have a `model`: this app allows only some models.');
  }
  const id: unknown = JSON.parse(model);
  if (!models.some((allowed) => allowed === id)) {
    throw new ProxyError(403, 'model_not_allowed', 'This model is not available in this app.');
  }
}

/** Whether a service could read a field as `model` or `extra_body`. */
const canSetModel = (name: string): boolean => /^(model|extrabody)$/.test(folded(name));
