import { errorBody, errorCode } from '../http/response/error-body.ts';

/** A refusal of something that is not even a request, so that the gateway itself never sees it. */
export interface ProtocolError {
  status: 400 | 405 | 408 | 431;
  message: string;
}

const reasons = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** What a parser's complaint, by the code of its error, means to the caller. */
export function protocolError(code: unknown): ProtocolError {
  switch (code) {
    case 'HPE_INVALID_METHOD':
      return { status: 400, message: 'The method is none of HTTP' };
    case 'HPE_INVALID_URL':
      return { status: 400, message: 'The address is not valid' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, message: 'The headers are too long' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The request took too long to arrive' };
    default:
      return { status: 400, message: 'This is not valid HTTP' };
  }
}

/** The status line, the headers and the envelope, as they go over the wire. */
export function rawErrorResponse({ status, message }: ProtocolError): string {
  const code = status === 405 ? 'method_not_allowed' : errorCode(status);
  const { type, text } = errorBody(status, code, message, 'envelope');
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 20);
  return [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    'connection: close',
    `content-type: ${type}`,
    `content-length: ${new TextEncoder().encode(text).length}`,
    `x-request-id: req_${id}`,
    '',
    text,
  ].join('\r\n');
}
