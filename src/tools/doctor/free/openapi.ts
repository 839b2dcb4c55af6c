import { endpoints } from '../../../wire/endpoints/index.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { isAboutEndpoint, messageOf, statusOf } from '../run/failure.ts';
import { ifAvailable } from '../run/if-available.ts';
import type { Report } from '../run/report.ts';
import { list } from '../text.ts';
import { operationsOf } from './document-paths.ts';
import type { DocumentOperation } from './document-paths.ts';

/** The routes that the client uses, as the specification lists them. */
const clientRoutes = endpoints.filter((endpoint) => !('isAssumed' in endpoint)).map(routeOf);

/** Poll paths that the client tries. Assumptions A1 and A2. */
const pollRoutes = endpoints.filter((endpoint) => 'isAssumed' in endpoint).map(routeOf);

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
