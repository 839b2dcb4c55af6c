import { parseURL } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import type { ErrorResponse } from '../run/failure.ts';
import type { Finding } from '../run/report.ts';

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
