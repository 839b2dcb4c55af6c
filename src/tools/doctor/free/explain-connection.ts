import { ConfigurationError, RequestTimeoutError } from 'polygate';

import { messageOf, noResponseAdvice } from '../run/failure.ts';
import type { Finding } from '../run/report.ts';

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
