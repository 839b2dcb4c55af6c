import { ConfigurationError, RequestTimeoutError } from 'polygate';

import { parseURL } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import { messageOf, noResponseAdvice } from '../run/failure.ts';
import type { ErrorResponse } from '../run/failure.ts';
import type { Finding } from '../run/findings.ts';

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

/** How long the first response is waited for. */
export const maxWaitMs = 10_000;

/** Explains why no response arrived. */
export function explainConnection(error: unknown, baseURL: string): Finding {
  if (RequestTimeoutError.is(error)) {
    return {
      status: 'failed',
      detail: `The server at ${baseURL} did not respond within ${maxWaitMs / 1000} s.`,
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

const rateLimited = 'The service limits requests: run doctor again later.';

/** Explains a response that no gateway sends; undefined if it is JSON, which needs a closer look. */
export function explainResponse(
  { meta, body }: ErrorResponse,
  baseURL: string,
): Finding | undefined {
  const { status, headers } = meta;
  if (status === 0 || (status >= 300 && status < 400)) {
    return explainRedirect(headers.get('location'), baseURL);
  }
  if (typeof body !== 'string') {
    return status >= 500 || status === 429 ? explainOutage(status, baseURL) : undefined;
  }
  const server = headers.get('server') ?? headers.get('via');
  const page = pageTitle(body);
  const sender = server === null ? '' : ` from ${server}`;
  if (status >= 500 || status === 403 || status === 407 || status === 429) {
    return {
      status: 'failed',
      detail: `A proxy or load balancer in front of ${baseURL} responds with status ${status}${sender}${page}.`,
      advice: proxyAdvice(status),
    };
  }
  const kind = /^\s*</.test(body) ? 'an HTML page' : 'text that is not JSON';
  return {
    status: 'failed',
    detail: `${baseURL} serves ${kind} instead of an API: GET /v1/status returned status ${status}${page}.`,
    advice:
      'Check baseURL: it is the origin of the API, which often differs from the website, and has no /v1. On a public network, sign in to it first.',
  };
}

/** A service that protects its account may be a gateway: the next check will show it. */
export type ApiKind = 'protected' | 'compatible' | 'other';

/** Explains an API of something other than a gateway. */
export function explainApi(
  kind: Exclude<ApiKind, 'protected'>,
  baseURL: string,
  status: number,
): Finding {
  if (kind === 'compatible') {
    return {
      status: 'failed',
      detail: `${baseURL} is an OpenAI-compatible service, but not this gateway: it has models, and neither an account nor a status endpoint.`,
      advice: 'Check baseURL. For another OpenAI-compatible service, use its own client.',
    };
  }
  return {
    status: 'failed',
    detail: `${baseURL} serves JSON, but not the API of a gateway: GET /v1/status returned status ${status}.`,
    advice: 'Check baseURL: it is the origin of the API, without /v1.',
  };
}

function explainOutage(status: number, baseURL: string): Finding {
  return {
    status: 'failed',
    detail: `The server at ${baseURL} responds with status ${status}, so nothing else could be checked.`,
    advice:
      status === 429 ? rateLimited : 'Check that the service runs, and run doctor again later.',
  };
}

function proxyAdvice(status: number): string {
  if (status === 407) return 'The proxy of this network requires a login: see HTTPS_PROXY.';
  if (status === 429) return rateLimited;
  return 'Check that the service behind it runs and that this machine may use it, then run doctor again.';
}

function explainRedirect(location: string | null, baseURL: string): Finding {
  const target = location === null ? undefined : parseURL(location, baseURL);
  const where = target?.origin ?? 'another address, which this browser hides';
  return {
    status: 'failed',
    detail: `${baseURL} redirects to ${where}. The client follows no redirects, because they could take the API key elsewhere.`,
    ...needed.baseURLOfRedirect(baseURL, target),
  };
}

/** The title of a page, to recognize it. */
function pageTitle(body: string): string {
  const [, title] = /<title[^>]*>([^<]{1,120})/i.exec(body) ?? [];
  return title?.trim() ? `, with the title "${title.trim()}"` : '';
}
