import type { RecordedHeaders } from '../shared/lab.ts';
import type { Redact } from './recorded-body.ts';

const hidden = '(hidden)';
const secretHeaders = /^(authorization|cookie|set-cookie|x-api-key|x-goog-api-key)$/;

/**
 * Creates a function that hides the API key and any other key in a text, and the URLs of identity checks, which must not
 * be logged. Specification: Events.
 */
export function createRedact(apiKey: string): Redact {
  return (text) =>
    (apiKey === '' ? text : text.replaceAll(apiKey, hidden))
      .replace(/\bsk-[^\s"'`\\]+/g, hidden)
      .replace(/("(?:verification_url|callback_url)":\s*")[^"]*/g, `$1${hidden}`);
}

/** Returns the headers with the values of secret ones hidden. */
export function redactHeaders(headers: Headers, redact: Redact): RecordedHeaders {
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => {
      if (name === 'authorization') return [name, `Bearer ${hidden}`];
      return [name, secretHeaders.test(name) ? hidden : redact(value)];
    }),
  );
}
