import type { RequestPromise } from 'polygate';

import type { Endpoint } from '../../../wire/endpoints/endpoint.ts';
import { allEndpoints } from '../../../wire/endpoints/index.ts';
import { isRecord, parseURL } from '../../../wire/types/type-guards.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { isAboutEndpoint, messageOf, statusOf, ifAvailable } from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { list } from '../text.ts';

/** The public records, each with the list that the client assumes in it. */
function publicRecords({
  client: { public: api },
  signal,
}: DiagnosisContext): (readonly [string, () => RequestPromise<object>, string?])[] {
  const options = { signal };
  return [
    ['status', () => api.status({}, options)],
    ['capabilities', () => api.capabilities(options), 'endpoints'],
    ['errors', () => api.errors(options), 'data'],
    ['changelog', () => api.changelog(options), 'data'],
    ['pricing', () => api.pricing({}, options), 'data'],
    ['rate-limits', () => api.rateLimits(options), 'tiers'],
  ];
}

/** Whether the public endpoints exist and have the assumed shapes. Assumptions A16 and A18. */
export const publicEndpoints: Check = {
  id: 'public',
  title: 'Public endpoints',
  requires: 'gateway',
  assumptions: [
    { id: 'A16', ifOpen: 'Not tested.' },
    { id: 'A18', aspect: 'webhooks', ifOpen: 'Not tested.' },
  ],
  async run(context, report) {
    const { missing, different, webhooks, headers } = await readRecords(context);
    if (headers !== undefined) reportClock(headers, report);
    const about = report.on('A16');
    if (missing.length > 0) {
      const detail = `These public endpoints do not respond as documented: ${list(missing)}.`;
      const advice = 'Only the methods of gateway.public for them are affected.';
      about.warning(detail, { advice });
    } else if (different.length > 0) {
      about.ok(
        `These records have another shape than assumed: ${list(different)}. The client keeps them as sent.`,
      );
    } else {
      about.ok('All public records have the assumed shapes.');
    }
    const state = isRecord(webhooks) ? webhooks['enabled'] : undefined;
    const known =
      typeof state === 'boolean' &&
      `According to the capabilities, webhooks are ${state ? 'enabled' : 'disabled'}. `;
    report
      .on('A18')
      .skipped(
        `${known || ''}How webhooks are signed is not documented, so the client verifies nothing.`,
      );
  },
};

/** Reads all public records. */
async function readRecords(context: DiagnosisContext) {
  const missing: string[] = [];
  const different: string[] = [];
  let webhooks: unknown;
  let headers: Headers | undefined;
  for (const [name, send, listName] of publicRecords(context)) {
    try {
      const { data, meta } = await context.read(send());
      const record: unknown = data;
      if (listName && isRecord(record) && !Array.isArray(record[listName])) different.push(name);
      if (name === 'capabilities' && isRecord(record)) ({ webhooks } = record);
      if (name === 'status') ({ headers } = meta);
    } catch (error) {
      if (!isAboutEndpoint(error)) throw error;
      missing.push(`${name} (${statusOf(error) ?? messageOf(error)})`);
    }
  }
  return { missing, different, webhooks, headers };
}

/** The largest difference between two clocks that is not reported, in ms. */
const maxSkew = 120_000;

function reportClock(headers: Headers, report: Report): void {
  const age = Number(headers.get('age') ?? 0) * 1000;
  const skew = Date.now() - (Date.parse(headers.get('date') ?? '') + age);
  if (!(Math.abs(skew) > maxSkew)) return;
  const minutes = Math.round(Math.abs(skew) / 60_000);
  report
    .onAspect('clock', 'Clock')
    .warning(
      `The clock of this machine is ${minutes} minutes ${skew > 0 ? 'ahead of' : 'behind'} the clock of the service.`,
      {
        advice:
          'Synchronize it: result URLs, verification URLs and Retry-After dates are times of the service.',
      },
    );
}

/** The routes that the client uses, as the specification lists them. */
const clientRoutes = allEndpoints.filter(({ isAssumed }: Endpoint) => !isAssumed).map(routeOf);

/** Poll paths that the client tries. Assumptions A1 and A2. */
const pollRoutes = allEndpoints.filter(({ isAssumed }: Endpoint) => isAssumed).map(routeOf);

/** How the service's own document differs from the client. Assumption A20. */
export const openapi: Check = {
  id: 'openapi',
  title: 'OpenAPI document',
  requires: 'gateway',
  assumptions: [
    {
      id: 'A20',
      aspect: 'endpoints',
      ifOpen: 'The service has no OpenAPI document to look for more endpoints in.',
    },
  ],
  async run(context, report) {
    const operations = await ifAvailable(report, context.openapi().then(operationsOf));
    const routes = operations?.map(routeOf) ?? [];
    if (operations !== undefined) describeDocument(routes, report);
    const extra = routes.filter((route) => ![...clientRoutes, ...pollRoutes].includes(route));
    const about = report.on('A20');
    const advice = 'Call them with gateway.request().';
    if (extra.length > 0) {
      const detail = `The service has endpoints for which the client has no method: ${list(extra)}.`;
      return about.ok(detail, { advice });
    }
    const usageRecords = await probeUsageRecords(context);
    if (usageRecords === 'exists') {
      const detail =
        'The service has endpoints that its document does not list, such as GET /v1/usage/records.';
      about.ok(detail, { advice });
    } else if (usageRecords !== 'missing') {
      about.skipped(`GET /v1/usage/records fails with ${messageOf(usageRecords.error)}`);
    } else if (operations !== undefined) {
      about.ok('No endpoint was found for which the client has no method.');
    }
  },
};

function routeOf({ method, path }: Pick<DocumentOperation, 'method' | 'path'>): string {
  return `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
}

function describeDocument(routes: readonly string[], report: Report): void {
  if (routes.length === 0) return report.warning('The document lists no paths.');
  const missing = clientRoutes.filter((route) => !routes.includes(route));
  if (missing.length === 0) {
    return report.ok(
      `The document lists ${routes.length} operations, with all ${clientRoutes.length} that the client uses.`,
    );
  }
  report.warning(
    `The document lists ${routes.length} operations, without ${missing.length} that the client uses: ${list(missing)}.`,
    {
      advice:
        'Do not use the methods for them, or ask the operator whether the document is complete.',
    },
  );
}

/**
 * The one endpoint that the specification mentions without details, and that can be read for free: whether it exists,
 * or the error that does not show it.
 */
async function probeUsageRecords({
  client,
  signal,
  unmet,
}: DiagnosisContext): Promise<'exists' | 'missing' | { readonly error: unknown }> {
  if (unmet.key !== undefined) return 'missing';
  try {
    await client.request({ method: 'GET', path: '/v1/usage/records' }, { signal });
    return 'exists';
  } catch (error) {
    if (!isAboutEndpoint(error)) throw error;
    const status = statusOf(error) ?? 0;
    // It may require query parameters.
    if ([400, 422].includes(status)) return 'exists';
    // A 403 can be from a proxy that does not forward the request.
    return [403, 404, 405].includes(status) ? 'missing' : { error };
  }
}

/** One operation of an OpenAPI document, such as `GET /v1/videos/{}`. */
interface DocumentOperation {
  readonly method: string;
  /** Path below the base URL, with the names of its parameters. */
  readonly path: string;
}

/** The operations of an OpenAPI document. */
function operationsOf(document: Record<string, unknown>): DocumentOperation[] {
  const { paths, servers } = document;
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined;
  const prefix = isRecord(server) ? serverPath(server['url']) : '';
  return Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, item]) =>
    Object.keys(isRecord(item) ? item : {})
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => ({ method: method.toUpperCase(), path: withPrefix(path, prefix) })),
  );
}

/** The poll paths that the document of the service may name, as templates with `{id}`. */
export async function documentPaths(context: DiagnosisContext, pattern: RegExp): Promise<string[]> {
  const document = await context.openapi().catch((error: unknown) => {
    if (context.signal?.aborted) throw error;
    return {};
  });
  return operationsOf(document)
    .filter(({ method, path }) => method === 'GET' && pattern.test(path))
    .filter(({ path }) => /^[^{}%]*\/\{[^{}]+\}$/.test(path) && !/voice|material|model/.test(path))
    .map(({ path }) => path.replace(/\{[^{}]+\}$/, '{id}'))
    .filter((template) => isPath(template.replace('{id}', 'id')))
    .slice(0, 4);
}

/** Whether a path can be requested as it is: a document may contain anything. */
const isPath = (path: string): boolean => parseURL(path, 'https://host.invalid')?.pathname === path;

/** Documents name paths below `/v1` or below the origin. */
function withPrefix(path: string, prefix: string): string {
  return /^\/(v\d|api)/.test(path) ? path : prefix + path;
}

function serverPath(url: unknown): string {
  const { pathname = '' } = parseURL(String(url), 'https://host.invalid') ?? {};
  return pathname.replace(/\/$/, '') || '/v1';
}
