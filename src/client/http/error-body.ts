import { isSuccessful } from '../../wire/types/chat/finished.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';
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
 * Parses the OpenAI envelope, `error` as a string, `errors`, the error of a choice or of a `response`, `base_resp`, `fault`,
 * `{code, message}`, `{detail}`, `{success, message}`, `{error_message}`, a list of one of these, plain text and HTML.
 */
export function parseErrorBody(text: string): ErrorBody {
  const body = parseJson(text) ?? text;
  const record: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
  const outer = isRecord(record)
    ? record
    : { message: /^\s*</.test(text) ? describeNonJson(text) : text };
  const { detail, errors, base_resp: base, response } = outer;
  const given: unknown = [
    outer.error,
    Array.isArray(errors) ? errors[0] : undefined,
    choiceError(outer),
    isRecord(base) && base.status_code ? base : undefined,
    isRecord(response) ? response.error : undefined,
    outer.fault,
  ].find(Boolean);
  const error = isRecord(given) ? given : outer;
  return {
    message: [
      error.message,
      given,
      error.status_msg,
      error.faultstring,
      detail && stringify(detail),
      ...failureTexts.map((name) => outer[name]),
      outer.message,
      outer.msg,
      isRecord(errors) && stringify(errors),
    ]
      .map(lineOf)
      .find(Boolean),
    code: [error.code, outer.error_code, outer.errorCode].map(lineOf).find(Boolean),
    type: lineOf(error.type),
    param: lineOf(error.param),
    body,
  };
}

/** The fields whose text is that of a failure, and of nothing else. */
export const failureTexts = ['error_message', 'errorMessage', 'error_msg', 'exception'] as const;

/** Whether the field `error` of a record contains anything. A chunk may carry an empty one. */
export function hasError({ error }: Record<string, unknown>): boolean {
  return isRecord(error) ? Object.values(error).some(Boolean) : Boolean(error);
}

/** Whether a choice has failed: it has an error, and has not finished for another reason. */
export function isFailedChoice(choice: Record<string, unknown>): boolean {
  return hasError(choice) && !isSuccessful(choice.finish_reason);
}

/** The error of a choice; undefined if no choice has failed. */
export function choiceError({ choices }: { readonly choices?: unknown }): unknown {
  if (!Array.isArray(choices)) return undefined;
  return choices.filter(isRecord).find(isFailedChoice)?.error;
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
