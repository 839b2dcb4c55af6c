import { errorBody, errorCode } from '../http/response/error-body.ts';

/**
 * An error for input that never reaches the gateway, because it is not a valid HTTP request or uses an
 * unsupported method.
 */
export interface ProtocolError {
  status: 400 | 405 | 408 | 431;
  message: string;
}

const reasonPhrases = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Maps an error code of Node's HTTP parser to an error. */
export function protocolError(code: unknown): ProtocolError {
  switch (code) {
    case 'HPE_INVALID_METHOD':
      return { status: 400, message: 'The request method is invalid' };
    case 'HPE_INVALID_URL':
      return { status: 400, message: 'The URL is invalid' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, message: 'The headers are too large' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The request took too long to arrive' };
    default:
      return { status: 400, message: 'The request is not valid HTTP' };
  }
}

/** Formats a complete HTTP response, to be written to the socket. */
export function rawErrorResponse({ status, message }: ProtocolError): string {
  const code = status === 405 ? 'method_not_allowed' : errorCode(status);
  const { type, text } = errorBody(status, code, message, 'envelope');
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 20);
  return [
    `HTTP/1.1 ${status} ${reasonPhrases[status]}`,
    'connection: close',
    `content-type: ${type}`,
    `content-length: ${new TextEncoder().encode(text).length}`,
    `x-request-id: req_${id}`,
    '',
    text,
  ].join('\r\n');
}
