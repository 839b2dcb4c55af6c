import {
  APIError,
  BudgetExceededError,
  ConfigurationError,
  PolygateError,
  RateLimitError,
  RequestTimeoutError,
  ResponseValidationError,
} from 'polygate';
import type { RequestPromise, ResponseMeta } from 'polygate';

import { messageForPeople } from '../../../internal.ts';
import { forCommands } from '../../money.ts';
import type { Finding, Report } from './findings.ts';

/** What the service sent instead of a result. */
export interface ErrorResponse {
  readonly meta: ResponseMeta;
  readonly body: unknown;
}

/** The response that an error was made of, if there was one. */
export function errorResponse(error: unknown): ErrorResponse | undefined {
  return APIError.is(error) || ResponseValidationError.is(error) ? error : undefined;
}

/** The response to a request, whether it succeeds or not. An error without a response is thrown. */
export async function responseOf(request: RequestPromise<unknown>): Promise<ErrorResponse> {
  try {
    const { data, meta } = await request.withResponse();
    return { meta, body: data };
  } catch (error) {
    const response = errorResponse(error);
    if (response === undefined) throw error;
    return response;
  }
}

/** The HTTP status of an error response. */
export function statusOf(error: unknown): number | undefined {
  return APIError.is(error) ? error.status : undefined;
}

/** Whether a status says that the requested path, or a method of it, does not exist. */
export const isMissing = (status: number | undefined): boolean => status === 404 || status === 405;

/** Whether an error shows how the requested endpoint responds. A lost connection and a rate limit do not. */
export function isAboutEndpoint(error: unknown): boolean {
  return errorResponse(error) !== undefined && !RateLimitError.is(error);
}

/** The error of a request that should fail; undefined if it succeeds. An error without a response is thrown. */
export async function failureOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (errorResponse(error) === undefined) throw error;
    return error;
  }
}

/** Describes an error as a finding. */
export function describeFailure(
  error: unknown,
): Pick<Finding, 'status' | 'detail' | 'skipReason' | 'advice'> {
  const detail = messageOf(error);
  if (RateLimitError.is(error)) {
    const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000);
    const advice = `Run doctor again ${seconds > 0 ? `in ${seconds} s` : 'later'}, while nothing else uses the account.`;
    const reason = { detail: `Rate limited: ${detail}`, skipReason: 'rate-limited' } as const;
    return { status: 'skipped', ...reason, advice };
  }
  if (BudgetExceededError.is(error)) return { status: 'skipped', detail };
  return { status: 'failed', detail };
}

/** What to do if a server accepts connections and does not respond. */
export const noResponseAdvice =
  'Check the host name and port in baseURL, the firewall, and whether a proxy is in between.';

/** The message of an error, without advice that does not apply to a diagnosis. */
export function messageOf(error: unknown): string {
  if (!PolygateError.is(error)) return `Unexpected error: ${String(error)}`;
  return messageForPeople(error, { advice: undefined }, forCommands);
}

/**
 * The result of a request to an endpoint that may be missing, or that a proxy may not forward, which is then reported.
 */
export async function ifAvailable<Result>(
  report: Report,
  request: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    const status = statusOf(error);
    const detail = `Not available: ${messageOf(error)}`;
    if (status === 403) {
      const advice = 'If a proxy is in between, it may not forward this request.';
      report.endsBecause(detail, { advice });
    } else if (isMissing(status)) {
      report.warning(detail);
    } else {
      throw error;
    }
    return undefined;
  }
}

/** Why a connection can fail, as the messages and codes of the runtimes say it, and what to do. */
const causes: readonly (readonly [RegExp, problem: string, advice: string])[] = [
  [
    /self.signed|UNABLE_TO_(VERIFY|GET)|unable to (verify|get)|UnknownIssuer|CERT_UNTRUSTED/i,
    'has a certificate that is not trusted: it is self-signed, or issued by a private authority or an inspecting proxy',
    'Give Node.js the certificate of that authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem. Keep verification on: without it, anyone in between can read the API key.',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|certificate (has )?expired|not yet valid/i,
    'has a certificate that is not valid now',
    'Check the clock of this machine. If it is right, the operator has to renew the certificate.',
  ],
  [
    /ALTNAME|does not match certificate|NotValidForName/i,
    'has a certificate for another name',
    'Check the host name in baseURL: it must be one that the certificate names.',
  ],
  [
    /wrong version number|EPROTO|packet length|record layer/i,
    'does not speak TLS',
    'Check the port in baseURL. Plain http is for this machine only: it shows the API key to anyone in between.',
  ],
  [
    /ECONNREFUSED|refused/i,
    'refuses connections: nothing listens at this port',
    'Check the port in baseURL, and that the service runs.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|getaddrinfo|dns|resolve/i,
    'has a name that cannot be resolved',
    'Check the host name in baseURL, the DNS settings and the VPN of this machine.',
  ],
  [
    /bad port/i,
    'uses a port that fetch blocks',
    'Use another port: fetch never connects to ports of other protocols, such as 25 or 6000.',
  ],
  [
    /CONNECT_TIMEOUT|ETIMEDOUT|UNREACH/i,
    'cannot be reached from this network',
    'Check the host name and port in baseURL, the firewall and the VPN. Node.js uses HTTP_PROXY and HTTPS_PROXY only with NODE_USE_ENV_PROXY=1.',
  ],
  [
    /ECONNRESET|other side closed|hang up|UND_ERR_SOCKET|terminated|EPIPE|HPE_|parse/i,
    'closes the connection without a valid HTTP response',
    'Check the port and the protocol in baseURL: a port for https does not respond to http.',
  ],
  [
    /failed to fetch|load failed|networkerror/i,
    'cannot be reached by this browser, which does not say why',
    'Look into the console of the browser. The service may not allow requests from pages of this origin (CORS).',
  ],
];

/** Explains why no response arrived within a time. */
export function explainConnection(error: unknown, baseURL: string, waitedMs: number): Finding {
  if (RequestTimeoutError.is(error)) {
    return {
      status: 'failed',
      detail: `The server at ${baseURL} did not respond within ${waitedMs / 1000} s.`,
      advice: noResponseAdvice,
    };
  }
  const message = messageOf(error);
  if (ConfigurationError.is(error)) return { status: 'failed', detail: message };
  // The message of the runtime.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  const [, problem, advice] = causes.find(([pattern]) => pattern.test(cause)) ?? [];
  return {
    status: 'failed',
    detail:
      problem === undefined
        ? `${baseURL}: ${message}`
        : `The server at ${baseURL} ${problem} (${cause.replace(/\.$/, '')}).`,
    advice: advice ?? 'Check baseURL and the network of this machine.',
  };
}
