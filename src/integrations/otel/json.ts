import { isRecord } from '../../wire/types/type-guards.ts';

/** The fields of an object whose type is not known; none if it is something else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};

/** The elements of an array whose type is not known; none if it is something else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Parses text or bytes as JSON. Returns anything else unchanged, including text that is not JSON. */
export function parseJson(value: unknown): unknown {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}
