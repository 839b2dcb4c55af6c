import { Refusal } from './refusal.ts';

/**
 * The body of a POST, whole, before a byte of it goes on. JSON only: a form on a stranger's page can send other types
 * without asking first.
 */
export async function readBody(
  request: Request,
  { maxBodyBytes, models }: { maxBodyBytes: number; models?: readonly string[] | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers } = request;
  if (!/^application\/json *(;|$)/i.test(headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'unsupported_media_type', 'The body must be application/json.');
  }
  if (headers.has('content-encoding')) {
    throw new Refusal(415, 'unsupported_media_type', 'The body must not be compressed.');
  }
  if (request.bodyUsed) throw new Error('The body was read before the proxy got it.');
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    pieces.push(piece.value);
    length += piece.value.byteLength;
    if (length <= maxBodyBytes) continue;
    reader?.cancel().catch(() => {});
    throw new Refusal(413, 'request_too_large', 'The body is too long.');
  }
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  return models === undefined ? bytes : checkModel(bytes, models);
}

/** What is checked is what is sent: of two fields with one name, the gateway might read the other. */
function checkModel(
  bytes: Uint8Array<ArrayBuffer>,
  models: readonly string[],
): Uint8Array<ArrayBuffer> {
  const body = parseRecord(new TextDecoder().decode(bytes));
  if (body === undefined) {
    throw new Refusal(400, 'invalid_request_parameter', 'The body must be a JSON object.');
  }
  const { model } = body;
  if (model !== undefined && !models.some((allowed) => allowed === model)) {
    throw new Refusal(403, 'model_not_allowed', 'This app does not offer this model.');
  }
  return new TextEncoder().encode(JSON.stringify(body));
}

/** A JSON object; undefined when the text is none. */
export function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
