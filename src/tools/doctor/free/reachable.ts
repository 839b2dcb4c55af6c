import type { Check } from '../run/check.ts';
import type { Finding } from '../run/report.ts';
import { shorten } from '../text.ts';
import { explainConnection, maxWaitMs } from './explain-connection.ts';
import { findProblem, isStatus, receive } from './find-problem.ts';

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
