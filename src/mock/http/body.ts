import { isRecord } from '../../schemas/record.ts';
import type { Endpoint } from './endpoint.ts';
import type { Incoming } from './incoming.ts';
import { GatewayError } from './response/gateway-error.ts';

/** What arrived as a body. */
export interface ReceivedBody {
  text: string;
  /** The parsed JSON; the text when it is not JSON; undefined without a body. */
  value: unknown;
  isUtf8: boolean;
  isJson: boolean;
  tooLong: boolean;
}

const empty: ReceivedBody = {
  text: '',
  value: undefined,
  isUtf8: true,
  isJson: false,
  tooLong: false,
};

/** Reads the body, up to the limit. */
export async function readBody(incoming: Incoming, maxBytes: number): Promise<ReceivedBody> {
  const read = await incoming.read(maxBytes);
  if (read === undefined) return { ...empty, tooLong: true };
  const { text } = read;
  if (text === '') return empty;
  try {
    return { ...empty, ...read, value: JSON.parse(text), isJson: true };
  } catch {
    return { ...empty, ...read, value: text };
  }
}

/** Refuses a body that is not JSON of a bearable shape, before its fields are looked at. */
export function requireJsonBody(
  endpoint: Endpoint,
  headers: Headers,
  body: ReceivedBody,
  maxBytes: number,
): void {
  if (endpoint.shownBody === undefined) return;
  if (body.tooLong) {
    throw new GatewayError(413, 'request_too_large', `The body is longer than ${maxBytes} bytes`);
  }
  const type = headers.get('content-type');
  if (type !== null && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())) {
    throw endpoint.refuse(`The content type must be application/json, not ${type}`);
  }
  if (body.text === '') throw endpoint.refuse('The body must be a JSON object; it is empty');
  if (!body.isUtf8) throw endpoint.refuse('The body is not valid UTF-8');
  if (!body.isJson) throw endpoint.refuse('The body is not valid JSON');
  const problem = shapeProblem(body.value);
  if (problem !== undefined) throw endpoint.refuse(problem);
}

/** How deep the values of a body may be nested, levels. */
const deepest = 100;

/** How many values a field of a body may hold. */
const mostValues = 100_000;

/**
 * What is wrong with the shape of a body, whatever it says; undefined when nothing is. JSON can be
 * nested deeper than a program's stack, and a small body can hold millions of values.
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
  let values = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return `is nested deeper than ${deepest} levels`;
    if (values > mostValues) return `holds more than ${mostValues} values`;
    level = level.flatMap(inside);
    values += level.length;
  }
  return undefined;
}

function inside(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
