import type { Polygate, RequestPromise } from 'polygate';

import { chatEndpoints } from '../../../wire/endpoints/chat.ts';
import { endpoints } from '../../../wire/endpoints/index.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { responseOf } from '../run/failure.ts';
import type { ErrorResponse } from '../run/failure.ts';
import type { Finding } from '../run/findings.ts';
import { shorten } from '../text.ts';
import { explainConnection, maxWaitMs, explainApi, explainResponse } from './explain.ts';
import type { ApiKind } from './explain.ts';

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
    context.missedGateway(`There is no gateway at ${baseURL}.`);
    // A service that is briefly overloaded receives a second request.
    const first = await receive(
      context,
      context.client.public.status({}, { signal, maxRetries: 1, totalTimeout: maxWaitMs }),
    );
    if ('failure' in first) {
      context.missedGateway(`The service at ${baseURL} cannot be reached.`);
      return report.add(explainConnection(first.failure, baseURL));
    }
    context.noteMeta(first.meta);
    const { status } = first.meta;
    if (status >= 500 || [403, 407, 429].includes(status)) {
      context.missedGateway(`The server at ${baseURL} responds with status ${status}.`);
    }
    const problem = isStatus(first.body) ? undefined : await findProblem(context, first);
    if (problem !== undefined) return report.add(problem);
    context.foundGateway();
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
async function kindOfApi(context: DiagnosisContext): Promise<ApiKind> {
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
