import { isRecord, textOf } from '../../types/type-guards.ts';
import { parseJson, singleLine, stringify } from './json.ts';

/** Replaces a missing error message. */
export const noReason = 'no reason given';

/** The fields of an error body in any known envelope. Specification: Errors; assumption A9. */
export interface ErrorBody {
  /** The message as one line; undefined if the body has none. */
  message: string | undefined;
  code: string | undefined;
  type: string | undefined;
  param: string | undefined;
  /** The parsed JSON, or the text if it is not JSON. */
  body: unknown;
}

/**
 * Parses the OpenAI envelope, `error` as a string, `{code, message}`, `{detail}`, `{success, message}`, plain text and
 * HTML.
 */
export function parseErrorBody(text: string): ErrorBody {
  const body = parseJson(text) ?? text;
  const outer = isRecord(body)
    ? body
    : { message: /^\s*</.test(text) ? describeNonJson(text) : text };
  const error = isRecord(outer.error) ? outer.error : outer;
  const { detail } = outer;
  return {
    message: [error.message, outer.error, detail && stringify(detail), outer.message]
      .map(lineOf)
      .find(Boolean),
    code: lineOf(error.code),
    type: lineOf(error.type),
    param: lineOf(error.param),
    body,
  };
}

/** Why a body that should be JSON is not. */
export function describeNonJson(text: string): string {
  const start = text.trimStart();
  if (start === '') return 'the body is empty';
  return start.startsWith('<') ? 'the body is HTML' : 'the body is not JSON';
}

function lineOf(value: unknown): string | undefined {
  return singleLine(textOf(value) ?? '') || undefined;
}
