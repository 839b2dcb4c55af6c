import { isRecord } from '../../wire/types/type-guards.ts';
import type { Endpoint } from './endpoint.ts';
import type { IncomingRequest } from './incoming.ts';
import { GatewayError } from './response/gateway-error.ts';

/** The body of a request. */
export interface ReceivedBody {
  text: string;
  /** The parsed JSON, or the text if it is not valid JSON; undefined if the body is empty. */
  value: unknown;
  isUtf8: boolean;
  isJson: boolean;
  tooLarge: boolean;
}

const empty: ReceivedBody = {
  text: '',
  value: undefined,
  isUtf8: true,
  isJson: false,
  tooLarge: false,
};

/** Reads and parses the body, unless it is larger than `maxBytes`. */
export async function readBody(incoming: IncomingRequest, maxBytes: number): Promise<ReceivedBody> {
  const decoded = await incoming.read(maxBytes);
  if (decoded === undefined) return { ...empty, tooLarge: true };
  const { text } = decoded;
  if (text === '') return empty;
  try {
    return { ...empty, ...decoded, value: JSON.parse(text), isJson: true };
  } catch {
    return { ...empty, ...decoded, value: text };
  }
}

/** Rejects a body that is too large, too deeply nested or not JSON, before its fields are checked. */
export function requireJsonBody(
  endpoint: Endpoint,
  headers: Headers,
  body: ReceivedBody,
  maxBytes: number,
): void {
  if (endpoint.documentedBody === undefined) return;
  if (body.tooLarge) {
    throw new GatewayError(413, 'request_too_large', `The body is larger than ${maxBytes} bytes`);
  }
  const type = headers.get('content-type');
  if (type !== null && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())) {
    throw endpoint.toError(`The content type must be application/json, not ${type}`);
  }
  if (body.text === '') throw endpoint.toError('The body is empty: it must be a JSON object');
  if (!body.isUtf8) throw endpoint.toError('The body is not valid UTF-8');
  if (!body.isJson) throw endpoint.toError('The body is not valid JSON');
  const problem = shapeProblem(body.value);
  if (problem !== undefined) throw endpoint.toError(problem);
}

/** Maximum nesting depth of a field's value. */
const maxDepth = 100;

/** Maximum number of values in a field, including nested values. */
const maxValues = 100_000;

/**
 * Checks the size of a body's fields and returns the first problem. JSON can be nested deeper than
 * the call stack allows, and a short body can contain millions of values.
 */
function shapeProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  for (const [name, value] of Object.entries(body)) {
    const problem = problemOf(value);
    if (problem !== undefined) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

function problemOf(value: unknown): string | undefined {
  let level = [value];
  let count = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`;
    if (count > maxValues) return `contains more than ${maxValues} values`;
    level = level.flatMap(childrenOf);
    count += level.length;
  }
  return undefined;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
