import type { Polygate, RequestPromise } from 'polygate';

import { chatEndpoints } from '../../../wire/endpoints/chat.ts';
import { endpoints } from '../../../wire/endpoints/index.ts';
import { isRecord, parseURL } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { explainConnection, responseOf } from '../run/failure.ts';
import type { ErrorResponse } from '../run/failure.ts';
import type { Finding } from '../run/findings.ts';
import { shorten } from '../text.ts';

/** How long the first response is waited for. */
const maxWaitMs = 10_000;

/**
 * Whether there is a gateway at the base URL; otherwise, what is there instead. Sends no API key, which may belong to
 * another service.
 */
export const reachable: Check = {
  id: 'reachable',
  title: 'Gateway',
  async run(context, report) {
    const { baseURL } = context.client;
    const { signal } = context;
    context.unmet.gateway = `There is no gateway at ${baseURL}.`;
    // A service that is briefly overloaded receives a second request.
    const first = await receive(
      context,
      context.client.public.status({}, { signal, maxRetries: 1, totalTimeout: maxWaitMs }),
    );
    if ('failure' in first) {
      context.unmet.gateway = `The service at ${baseURL} cannot be reached.`;
      return report.add(explainConnection(first.failure, baseURL, maxWaitMs));
    }
    context.freeMetas.push(first.meta);
    const { status } = first.meta;
    if (status >= 500 || [403, 407, 429].includes(status)) {
      context.unmet.gateway = `The server at ${baseURL} responds with status ${status}.`;
    }
    const problem = isStatus(first.body) ? undefined : await findProblem(context, first);
    if (problem !== undefined) return report.add(problem);
    context.unmet.gateway = undefined;
    if (isStatus(first.body)) report.add(describeStatus(first.body, baseURL));
    else report.ok(`A gateway responds at ${baseURL}, although not to GET /v1/status.`);
  },
};

function describeStatus(
  { overallStatus, summary }: Record<string, unknown>,
  baseURL: string,
): Finding {
  if (overallStatus !== 'degraded') {
    return { status: 'ok', detail: `A gateway responds at ${baseURL}.` };
  }
  const reason = typeof summary === 'string' ? `: ${shorten(summary, 300)}` : '';
  return {
    status: 'warning',
    detail: `The gateway at ${baseURL} reports that it is degraded${reason}.`,
  };
}

/** What is at the base URL, if it is not a gateway whose status endpoint is missing. */
async function findProblem(
  context: DiagnosisContext,
  first: ErrorResponse,
): Promise<Finding | undefined> {
  const { baseURL } = context.client;
  if (await hasGatewayDocument(context)) return undefined;
  const elsewhere = await findBaseURL(context);
  const need = needed.baseURL(elsewhere);
  if (need !== undefined) {
    return {
      status: 'failed',
      detail: `The gateway is at ${elsewhere}, not at ${baseURL}.`,
      ...need,
    };
  }
  const explained = explainResponse(first, baseURL);
  if (explained !== undefined) return explained;
  const kind = await kindOfApi(context);
  return kind === 'protected' ? undefined : explainApi(kind, baseURL, first.meta.status);
}

/** Whether a public document shows that there is a gateway. */
async function hasGatewayDocument(context: DiagnosisContext): Promise<boolean> {
  const { client } = context;
  const documents = await Promise.all([
    receive(context, client.public.capabilities(sentOnce(context))),
    receive(context, client.public.openapi(sentOnce(context))),
  ]);
  return documents.some((response) => 'body' in response && isGatewayDocument(response.body));
}

/** Which API responds, as far as requests without the API key show. */
async function kindOfApi(context: DiagnosisContext): Promise<'protected' | 'compatible' | 'other'> {
  const anonymous = context.client.withOptions({ apiKey: null });
  const get = (path: string) =>
    receive(context, anonymous.request({ method: 'GET', path }, sentOnce(context)));
  const [account, unknown, models] = await Promise.all([
    get(endpoints.account.retrieve.path),
    get('/v1/polygate-doctor'),
    get(chatEndpoints.models.list.path),
  ]);
  const isProtected = (response: typeof account) =>
    'meta' in response && [401, 403].includes(response.meta.status);
  // A service that protects its account may be a gateway: the next check will show it.
  if (isProtected(account)) return 'protected';
  // The models of an OpenAI-compatible service are public, or protected in its own way.
  const lists = 'body' in models && isRecord(models.body) && Array.isArray(models.body['data']);
  return lists || (isProtected(models) && !isProtected(unknown)) ? 'compatible' : 'other';
}

/** Looks for the gateway at other paths of the same origin. */
async function findBaseURL(context: DiagnosisContext): Promise<string | undefined> {
  const { origin } = new URL(context.client.baseURL);
  const others = [origin, `${origin}/api`].filter((url) => url !== context.client.baseURL);
  for (const baseURL of others) {
    const other: Polygate = context.client.withOptions({ baseURL });
    const response = await receive(context, other.public.status({}, sentOnce(context)));
    if ('body' in response && isStatus(response.body)) return baseURL;
  }
  return undefined;
}

/** Without a retry: a service that does not respond now is reported as it is. */
const sentOnce = ({ signal }: DiagnosisContext) => ({ signal, maxRetries: 0 });

/** The response to a request, successful or not; or why none was received. */
async function receive(
  { signal }: DiagnosisContext,
  request: RequestPromise<unknown>,
): Promise<ErrorResponse | { failure: unknown }> {
  try {
    return await responseOf(request);
  } catch (failure) {
    if (signal?.aborted) throw failure;
    return { failure };
  }
}

/** Whether a body is from the status endpoint. */
function isStatus(body: unknown): body is Record<string, unknown> {
  return (
    isRecord(body) &&
    (body['object'] === 'service.status' || typeof body['overallStatus'] === 'string')
  );
}

function isGatewayDocument(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { object, paths } = body;
  const names = Object.keys(isRecord(paths) ? paths : {});
  return object === 'service.capabilities' || names.some((name) => name.endsWith('/images/tasks'));
}

const rateLimited = 'The service limits requests: run doctor again later.';

/** Explains a response that no gateway sends; undefined if it is JSON, which needs a closer look. */
function explainResponse({ meta, body }: ErrorResponse, baseURL: string): Finding | undefined {
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

/** Explains an API of something other than a gateway. */
function explainApi(kind: 'compatible' | 'other', baseURL: string, status: number): Finding {
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
