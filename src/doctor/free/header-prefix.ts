import type { ResponseMeta } from 'polygate';

import type { Check } from '../check.ts';
import { randomId } from '../context.ts';
import type { DiagnosisContext } from '../context.ts';
import { responseOf } from '../failure.ts';
import { needed } from '../options.ts';
import type { Report } from '../report.ts';
import { list } from '../text.ts';
import { findVendorPrefix, readsVendorHeaders } from '../vendor-headers.ts';

/** Which headers the service uses for metadata and for the request id. Assumption A10. */
export const headerPrefix: Check = {
  id: 'header-prefix',
  title: 'Response headers',
  needs: 'gateway',
  assumptions: [['A10']],
  async run(context, report) {
    prefix(context, report);
    await requestId(context, report.on('A10'));
  },
};

function prefix(context: DiagnosisContext, report: Report): void {
  const { metas, noKey } = context;
  const found = findVendorPrefix(metas);
  if (readsVendorHeaders(metas)) {
    const names =
      found === undefined ? 'documented headers' : `the headers that start with ${found}`;
    return report.ok(`The client reads ${names}.`);
  }
  const need = needed.headerPrefix(metas, ' Without it, spend and budget count nothing.');
  if (need !== undefined) {
    context.adopt(need.option);
    const detail = `The headers of the service start with ${found}, so the client reads no charges, limits and task ids from them.`;
    return report.warning(detail, need);
  }
  const detail = 'The responses to free requests have no header with a vendor prefix.';
  if (noKey !== undefined) {
    return report.skipped(`${detail} More are known with a valid API key.`);
  }
  const advice =
    'If this is a browser, the service has to expose its headers: access-control-expose-headers. If a proxy is in between, it has to forward them.';
  report.warning(detail, { advice });
}

/** Names of headers that carry a request id in other services. */
const requestIdName = /request-?id|correlation-?id|trace-?id/;

/** Sends a request id and reads which header returns it. */
async function requestId(context: DiagnosisContext, report: Report): Promise<void> {
  const send = async (client = context.client) => {
    const sent = randomId();
    const { meta } = await responseOf(
      client.public.status({}, { requestId: sent, signal: context.signal }),
    );
    return { sent, meta, accepted: meta.requestId === sent };
  };
  const { sent, meta, accepted } = await send();
  const echoes = headerNames(meta, (value) => value === sent);
  if (accepted) {
    return report.ok(
      `The service accepts the caller's request id and returns it in ${list(echoes)}.`,
    );
  }
  const candidates = headerNames(meta, (_, name) => requestIdName.test(name));
  for (const name of new Set([...echoes, ...candidates].slice(0, 4))) {
    const need = needed.requestIdHeader(name, true);
    const other = await send(context.client.withOptions(need.option));
    if (!other.accepted) continue;
    context.adopt(need.option);
    const detail = `The service takes the caller's request id from ${name} and returns it there.`;
    return report.warning(detail, need);
  }
  const [name] = [...echoes, ...candidates];
  if (meta.requestId !== undefined) {
    const detail = "Responses have a request id, but the service ignores the caller's.";
    report.warning(detail, { advice: 'Log meta.requestId instead of passing requestId.' });
  } else if (name !== undefined) {
    const detail = `The service returns a request id in ${name}, which the client does not read.`;
    report.warning(detail, needed.requestIdHeader(name, false));
  } else {
    const advice = 'Note the time of a failed request: the service has no other way to find it.';
    report.warning('Responses have no request id.', { advice });
  }
}

function headerNames(
  { headers }: ResponseMeta,
  matches: (value: string, name: string) => boolean,
): string[] {
  return [...headers].filter(([name, value]) => matches(value, name)).map(([name]) => name);
}
