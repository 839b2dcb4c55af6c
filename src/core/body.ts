/** An answer grew beyond its limit. */
export class TooLarge extends Error {}

/**
 * Reads a body as text, at most `limit` bytes of it; what the headers say of its length is not believed.
 * @throws {TooLarge} as soon as it is longer; the rest is not read.
 */
export async function readText(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > limit) {
      cancel();
      throw new TooLarge();
    }
    text += decoder.decode(value, { stream: true });
  }
}
