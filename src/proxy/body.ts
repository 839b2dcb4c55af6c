import { ProxyError } from './error-response.ts';

/**
 * Reads the whole body of a POST before anything is sent. Only JSON is accepted: other types can be submitted by a form
 * on any website, without a preflight.
 */
export async function readBody(
  request: Request,
  { maxBodyBytes, models }: { maxBodyBytes: number; models?: readonly string[] | undefined },
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
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return models === undefined ? bytes : checkModel(bytes, models);
}

/**
 * Rejects a model that is not allowed. Returns the body re-serialized, so that the gateway reads the value that was
 * checked even if the page sent `model` twice.
 */
function checkModel(
  bytes: Uint8Array<ArrayBuffer>,
  models: readonly string[],
): Uint8Array<ArrayBuffer> {
  const body = parseRecord(new TextDecoder().decode(bytes));
  if (body === undefined) {
    throw new ProxyError(400, 'invalid_request_parameter', 'The body must be a JSON object.');
  }
  const { model } = body;
  if (model !== undefined && !models.some((allowed) => allowed === model)) {
    throw new ProxyError(403, 'model_not_allowed', 'This model is not available in this app.');
  }
  return new TextEncoder().encode(JSON.stringify(body));
}

/** Parses a JSON object. Returns undefined for anything else. */
export function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
