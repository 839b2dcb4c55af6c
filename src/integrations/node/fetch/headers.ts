import type { ResponseHead } from './exchange.ts';

/** The value of one header, as `Headers.get` returns it. */
export function headerValue({ headers }: ResponseHead, name: string): string | null {
  const value = headers[name] ?? headers[name.toLowerCase()];
  if (value === undefined || !Object.hasOwn(headers, name.toLowerCase())) return null;
  return typeof value === 'string' ? value.trim() : value.map((part) => part.trim()).join(', ');
}

/** All headers. Bytes are decoded as Latin-1, as `fetch` does: undici may decode them as UTF-8. */
export function createHeaders({ headers, raw }: ResponseHead): Headers {
  const created = new Headers();
  for (const [name, value] of isByteList(raw) ? pairs(raw) : Object.entries(headers)) {
    for (const part of [value ?? []].flat()) created.append(name, part);
  }
  return created;
}

const isByteList = (raw: unknown): raw is Buffer[] =>
  Array.isArray(raw) && raw.every((item) => Buffer.isBuffer(item));

function* pairs(raw: readonly Buffer[]): Generator<[name: string, value: string]> {
  for (let index = 1; index < raw.length; index += 2) {
    yield [String(raw[index - 1]), raw[index]?.toString('latin1') ?? ''];
  }
}
