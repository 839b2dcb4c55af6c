import { withoutHalfPairs } from './json.ts';

/** JSON as `withoutHalfPairs` returns it, from text or bytes. Bytes without half a pair are returned unchanged. */
export function bytesWithoutHalfPairs<Bytes>(body: string | Bytes): string | Bytes {
  if (typeof body === 'string') return withoutHalfPairs(body);
  if (!(body instanceof Uint8Array) || !hasEscape(body)) return body;
  const text = new TextDecoder().decode(body);
  const replaced = withoutHalfPairs(text);
  return replaced === text ? body : replaced;
}

/** Whether bytes contain `\\ud` in either case. Most do not, and are not decoded: they can be an image of many MB. */
function hasEscape(bytes: Uint8Array): boolean {
  let index = bytes.indexOf(92);
  while (index >= 0) {
    if (bytes[index + 1] === 117 && (bytes[index + 2] === 100 || bytes[index + 2] === 68))
      return true;
    index = bytes.indexOf(92, index + 1);
  }
  return false;
}
