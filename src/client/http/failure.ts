import type { ConnectionError } from '../../errors/call.ts';
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

/**
 * Codes of errors that occur before the request is sent: DNS errors, connections that are refused or time out,
 * certificates that are not trusted, proxies that open no tunnel, and a `nodeFetch` that was closed.
 */
const unsentCodes =
  /(^EAI_AGAIN|^ERR_PROXY_TUNNEL|refused|ENOTFOUND|UNREACH|EADDRNOTAVAIL|_CONNECT_TIMEOUT|UND_ERR_CLOSED)$|^(ERR_TLS_)?CERT_|^UNABLE_TO_|SELF_SIGNED/i;

/**
 * Messages of such errors that have no code of their own, as Node and undici word them. Browsers reveal nothing about
 * them.
 */
const unsentMessages =
  /^(bad port|unknown scheme|Proxy response .+ when HTTP Tunneling)$|before secure TLS connection/;

/**
 * Messages about HTTP/2 streams that the service has not processed (RFC 9113, 8.7), as Node and Deno word them.
 */
const refusedMessages =
  /error code NGHTTP2_REFUSED_STREAM$|refused stream before processing any application logic/;

/**
 * Whether an HTTP/2 stream is above the last id of a GOAWAY. Version 8 of undici reports this for such streams only, and
 * without an error code of the service as information. Version 7 reports every lost stream of the connection like this,
 * but always as an error of the socket.
 */
const isAboveLastStream = ({ code, message }: { code: string; message: string }) =>
  code === 'UND_ERR_INFO' && message.startsWith('HTTP/2: "GOAWAY" frame received');

/** Whether the service may have received a request whose `fetch` rejected with this error. */
export function networkOutcome(error: unknown): ConnectionError['outcome'] {
  const chain = causeChain(error);
  // Such as `read EHOSTUNREACH`, which libraries quote in messages of their own: the connection was established.
  const isEstablished = chain.some(({ message }) => /\b(read|write) E[A-Z]/.test(message));
  const isUnsent = chain.some(
    (link) =>
      unsentCodes.test(link.code) ||
      unsentMessages.test(link.message) ||
      refusedMessages.test(link.message) ||
      isAboveLastStream(link),
  );
  return isUnsent && !isEstablished ? 'not-sent' : 'unknown';
}

/** Whether the connection was refused, according to the code of Node, undici or Bun. */
export const isRefused = (error: unknown): boolean =>
  causeChain(error).some(({ code }) => /refused/i.test(code));

/**
 * The innermost message of an error that `fetch` rejected with. Reads only `message` and `code`, which reveal nothing
 * about the request.
 */
export function networkErrorMessage(error: unknown): string {
  const { message = noReason, code = '' } =
    causeChain(error).findLast((link) => link.message !== '') ?? {};
  return message.includes(code) ? message : `${message} (${code})`;
}

/** The time limits of undici, which also ends the requests of Node's own `fetch` after 300 s. */
const limitCodes = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/;

/** What to do about an error that `fetch` rejected with, if its code says more than that the connection was lost. */
export function networkAdvice(error: unknown): string | undefined {
  return causeChain(error).some(({ code }) => limitCodes.test(code))
    ? "Node's own fetch waits at most 300 s for data. Stream the response, pass fetch: nodeFetch() from polygate/node, or increase headersTimeout and bodyTimeout of your dispatcher."
    : undefined;
}

/** The texts of an error and its causes, outermost first. */
export function causeChain(error: unknown, limit = 5): { message: string; code: string }[] {
  if (!isRecord(error) || limit === 0) return [];
  const { message, code, cause } = error;
  const texts = { message: textOf(message) ?? '', code: textOf(code) ?? '' };
  return [texts, ...causeChain(cause, limit - 1)];
}
