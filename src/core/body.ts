/** An answer grew beyond its limit. */
export class TooLarge extends Error {}

/**
 * Reads a body as text, at most `limit` bytes of it.
 * @throws {TooLarge} as soon as it is longer; the rest is not read.
 */
export async function readText(response: Response, limit: number): Promise<string> {
  if (response.body === null) return '';
  if (isShort(response.headers, limit)) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > limit) {
      reader.cancel().catch(() => undefined);
      throw new TooLarge();
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Whether the answer itself promises to be short, so that nothing has to be counted. */
function isShort(headers: Headers, limit: number): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= limit && !headers.has('content-encoding');
}
