import { isRecord, textOf } from '../../schemas/record.ts';

/** What the body of a refusal says, from whichever envelope it uses. Specification: Errors; assumption A9. */
export interface ErrorBody {
  /** One line for a person; absent when the body says nothing. */
  message: string | undefined;
  code: string | undefined;
  type: string | undefined;
  param: string | undefined;
  /** The parsed JSON, else the text. */
  body: unknown;
}

/** Reads the OpenAI envelope, `error` as a string, `{code, message}`, `{detail}`, `{success, message}` and HTML. */
export function parseErrorBody(text: string): ErrorBody {
  const body = parseJson(text);
  const outer = isRecord(body) ? body : { message: describeNonJson(text) };
  const error = isRecord(outer.error) ? outer.error : outer;
  const { detail } = outer;
  return {
    message:
      word(error.message) ??
      word(outer.error) ??
      word(detail instanceof Object ? stringify(detail) : detail) ??
      word(outer.message),
    code: word(error.code),
    type: word(error.type),
    param: word(error.param),
    body,
  };
}

/** The JSON of a text, or the text itself. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A value as text: JSON, unless it is nested too deeply for that. */
export function stringify(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '(nested too deeply to be shown)';
  }
}

/** A text in one line of at most `limit` characters. */
export function oneLine(text: string, limit = 300): string {
  const line = text
    .slice(0, 4 * limit)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** What a body is that should have been JSON. */
export function describeNonJson(text: string): string {
  const start = text.trimStart();
  if (start === '') return '';
  return start.startsWith('<') ? 'HTML instead of JSON' : text;
}

function word(value: unknown): string | undefined {
  return oneLine(textOf(value) ?? '') || undefined;
}
