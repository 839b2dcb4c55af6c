import { isRecord } from '../../../wire/types/type-guards.ts';
import { ProxyError } from '../error-response.ts';

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
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
