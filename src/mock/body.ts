import type { Endpoint } from './endpoint.ts';
import type { Incoming } from './incoming.ts';
import { Refusal } from './refusal.ts';

/** What arrived as a body. */
export interface ReceivedBody {
  text: string;
  /** The parsed JSON; the text when it is not JSON; undefined without a body. */
  value: unknown;
  isJson: boolean;
  tooLong: boolean;
}

/** Reads the body, up to the limit. */
export async function readBody(incoming: Incoming, maxBytes: number): Promise<ReceivedBody> {
  const text = await incoming.read(maxBytes);
  if (text === undefined) return { text: '', value: undefined, isJson: false, tooLong: true };
  if (text === '') return { text, value: undefined, isJson: false, tooLong: false };
  try {
    return { text, value: JSON.parse(text), isJson: true, tooLong: false };
  } catch {
    return { text, value: text, isJson: false, tooLong: false };
  }
}

/** Refuses a body that is not JSON, before its fields are looked at. */
export function mustBeJson(
  endpoint: Endpoint,
  headers: Headers,
  body: ReceivedBody,
  maxBytes: number,
): void {
  if (endpoint.shownBody === undefined) return;
  if (body.tooLong) {
    throw new Refusal(413, 'request_too_large', `The body is longer than ${maxBytes} bytes`);
  }
  const type = headers.get('content-type');
  if (type !== null && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())) {
    throw endpoint.refuse(`The content type must be application/json, not ${type}`);
  }
  if (body.text === '') throw endpoint.refuse('The body must be a JSON object; it is empty');
  if (!body.isJson) throw endpoint.refuse('The body is not valid JSON');
}
