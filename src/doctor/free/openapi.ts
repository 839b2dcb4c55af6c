import type { Check, Finding } from '../check.ts';
import type { DiagnosisContext } from '../context.ts';
import { ifAvailable } from '../failure.ts';
import { list } from '../text.ts';
import { operationsOf } from './document-paths.ts';
import type { DocumentOperation } from './document-paths.ts';

/** The routes that the client uses, as the specification lists them. */
const clientRoutes = [
  'GET /v1/account',
  'GET /v1/readiness',
  'GET /api/usage/balance',
  'GET /v1/models',
  'GET /v1/models/{}',
  'POST /v1/chat/completions',
  'POST /v1/images/generations',
  'POST /v1/images/tasks',
  'GET /v1/images/tasks/{}',
  'POST /v1/videos',
  'POST /v1/video/generations',
  'POST /v1/videos/generations',
  'POST /v1/audio/tasks',
  'GET /v1/audio/tasks/{}',
  'GET /v1/audio/voices',
  'POST /v1/audio/voices/clone',
  'POST /v1/audio/voices/design',
  'POST /v1/materials',
  'GET /v1/materials',
  'GET /v1/materials/{}',
  'DELETE /v1/materials/{}',
  'GET /v1/status',
  'GET /v1/capabilities',
  'GET /v1/errors',
  'GET /v1/errors/{}',
  'GET /v1/changelog',
  'GET /v1/pricing',
  'GET /v1/rate-limits',
  'GET /v1/openapi.json',
];

/** Poll paths that the client tries. Assumptions A1 and A2. */
const pollRoutes = [
  'GET /v1/videos/{}',
  'GET /v1/video/generations/{}',
  'GET /v1/videos/generations/{}',
  'GET /v1/images/generations/{}',
];

/** How the service's own document differs from the client. Assumption A20. */
export const openapi: Check = {
  id: 'openapi',
  title: 'OpenAPI document',
  needs: 'gateway',
  assumptions: [['A20', 'The service has no OpenAPI document to look for more endpoints in.']],
  async *run(context) {
    const operations = await ifAvailable(context.openapi().then(operationsOf));
    const isMissing = 'detail' in operations;
    const routes = isMissing ? [] : operations.map(routeOf);
    yield isMissing ? operations : describeDocument(routes);
    const extra = routes.filter((route) => ![...clientRoutes, ...pollRoutes].includes(route));
    const assumption = 'A20';
    const advice = 'Call them with gateway.request().';
    if (extra.length > 0) {
      const detail = `The service has endpoints for which the client has no method: ${list(extra)}.`;
      yield { assumption, status: 'ok', detail, advice };
    } else if (await hasUsageRecords(context)) {
      const detail =
        'The service has endpoints that its document does not list, such as GET /v1/usage/records.';
      yield { assumption, status: 'ok', detail, advice };
    } else if (!isMissing) {
      const detail = 'No endpoint was found for which the client has no method.';
      yield { assumption, status: 'ok', detail };
    }
  },
};

const routeOf = ({ method, path }: DocumentOperation) =>
  `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;

function describeDocument(routes: readonly string[]): Finding {
  const missing = clientRoutes.filter((route) => !routes.includes(route));
  if (routes.length === 0) return { status: 'warning', detail: 'The document lists no paths.' };
  if (missing.length === 0) {
    const detail = `The document lists ${routes.length} operations, with all ${clientRoutes.length} that the client uses.`;
    return { status: 'ok', detail };
  }
  return {
    status: 'warning',
    detail: `The document lists ${routes.length} operations, without ${missing.length} that the client uses: ${list(missing)}.`,
    advice:
      'Do not use the methods for them, or ask the operator whether the document is complete.',
  };
}

/** Whether the one endpoint that the specification mentions without details, and that can be read for free, exists. */
async function hasUsageRecords({ client, signal }: DiagnosisContext) {
  try {
    await client.request({ method: 'GET', path: '/v1/usage/records' }, { signal });
    return true;
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}
