import { APIError } from 'polygate';
import type { Polygate, RequestPromise, ResponseMeta } from 'polygate';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { needed, vendorHeadersOf } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { errorResponse, isAboutEndpoint, failureOf, messageOf } from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { list, randomId } from '../text.ts';

/** Which headers the service uses for metadata and for the request id. Assumption A10. */
export const headerPrefix: Check = {
  id: 'header-prefix',
  title: 'Response headers',
  requires: 'gateway',
  assumptions: [{ id: 'A10', aspect: 'request-id', ifOpen: 'Not tested.' }],
  async run(context, report) {
    reportPrefix(context, report);
    await checkRequestId(context, report.on('A10'));
  },
};

function reportPrefix(context: DiagnosisContext, report: Report): void {
  const { freeMetas, unmet } = context;
  const found = vendorHeadersOf(freeMetas);
  const { isRead, prefix } = found;
  const need = needed.headerPrefix(found);
  if (need !== undefined) {
    const detail = `The headers of the service start with ${prefix}, so the client reads no charges, limits and task ids from them.`;
    return report.warning(detail, need);
  }
  if (isRead) {
    const names =
      prefix === undefined ? 'documented headers' : `the headers that start with ${prefix}`;
    return report.ok(`The client reads ${names}.`);
  }
  const detail = 'The responses to free requests have no header with a vendor prefix.';
  if (unmet.key !== undefined) {
    return report.skipped(`${detail} More are known with a valid API key.`);
  }
  const advice =
    'If this is a browser, the service has to expose its headers: access-control-expose-headers. If a proxy is in between, it has to forward them.';
  report.warning(detail, { advice });
}

/** Names of headers that carry a request id in other services. */
const requestIdName = /request-?id|correlation-?id|trace-?id/;

/** A response to a request that had an id of the caller. */
interface Echo {
  readonly sent: string;
  readonly meta: ResponseMeta;
  /** Whether the client has read the id from the response. */
  readonly isRead: boolean;
}

/** Sends a request id and reports which header returns it. */
async function checkRequestId(context: DiagnosisContext, report: Report): Promise<void> {
  const echo = await sendRequestId(context, context.client);
  const names = requestIdHeaders(echo);
  const candidates = [...new Set([...names.echoes, ...names.likely])];
  const { isRead } = echo;
  const accepted = isRead ? undefined : await findAccepted(context, candidates.slice(0, 4));
  const [returned] = candidates;
  const hasId = echo.meta.requestId !== undefined;
  const need = needed.requestIdHeader({ isRead, hasId, accepted, returned });
  if (need !== undefined) {
    const detail =
      accepted === undefined
        ? `The service returns a request id in ${returned}, which the client does not read.`
        : `The service takes the caller's request id from ${accepted} and returns it there.`;
    report.warning(detail, need);
  } else if (isRead) {
    report.ok(
      `The service accepts the caller's request id and returns it in ${list(names.echoes)}.`,
    );
  } else if (hasId) {
    const detail = "Responses have a request id, but the service ignores the caller's.";
    report.warning(detail, { advice: 'Log meta.requestId instead of passing requestId.' });
  } else {
    const advice = 'Note the time of a failed request: the service has no other way to find it.';
    report.warning('Responses have no request id.', { advice });
  }
}

async function sendRequestId({ signal }: DiagnosisContext, client: Polygate): Promise<Echo> {
  const sent = randomId();
  const meta = await metaOf(client.public.status({}, { requestId: sent, signal }));
  return { sent, meta, isRead: meta.requestId === sent };
}

/** The metadata of a response, unless it is a rate limit, which may be from a proxy. */
async function metaOf(request: RequestPromise<unknown>): Promise<ResponseMeta> {
  try {
    return (await request.withResponse()).meta;
  } catch (error) {
    const response = errorResponse(error);
    if (response === undefined || !isAboutEndpoint(error)) throw error;
    return response.meta;
  }
}

/** The first of these headers in which the service accepts a request id and returns it. */
async function findAccepted(
  context: DiagnosisContext,
  names: readonly string[],
): Promise<string | undefined> {
  for (const name of names) {
    const client = context.client.withOptions({ requestIdHeader: name });
    if ((await sendRequestId(context, client)).isRead) return name;
  }
  return undefined;
}

/** The headers that return the caller's id, and those whose name says that they have one. */
function requestIdHeaders({ sent, meta: { headers } }: Echo) {
  const all = [...headers];
  return {
    echoes: all.filter(([, value]) => value === sent).map(([name]) => name),
    likely: all.filter(([name]) => requestIdName.test(name)).map(([name]) => name),
  };
}

/** Which shape error bodies have. Assumption A9. */
export const errorShape: Check = {
  id: 'error-shape',
  title: 'Error responses',
  requires: 'key',
  assumptions: [{ id: 'A9', ifOpen: 'Not tested.' }],
  async run({ client, signal }, report) {
    const about = report.on('A9');
    const error = await failureOf(
      client.models.retrieve('polygate-doctor-unknown-model', { signal }),
    );
    if (error === undefined) {
      return about.warning('The service returns a record for a model that does not exist.');
    }
    if (!APIError.is(error) || error.status === 429) throw error;
    const { status, code, body } = error;
    const { error: envelope } = isRecord(body) ? body : {};
    const advice = 'Distinguish errors by their class and status, not by their code.';
    if (status !== 404 && status !== 400) {
      about.warning(`An unknown model fails with ${messageOf(error)}`);
    } else if (!isRecord(body)) {
      about.warning('Errors have no JSON body, so the client knows only their status.', { advice });
    } else if (code === undefined) {
      const detail = 'Errors have another shape than documented: a message, but no code.';
      about.warning(detail, { advice });
    } else if (!isRecord(envelope)) {
      about.ok(`Errors have another shape than documented, which the client reads: code ${code}.`);
    } else {
      about.ok(`Errors have the documented shape: code ${code}, status ${status}.`);
    }
  },
};
