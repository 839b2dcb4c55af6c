import type { ResponseMeta } from 'polygate';

import type { Check, Findings } from '../check.ts';
import { randomId } from '../context.ts';
import type { DiagnosisContext } from '../context.ts';
import { responseOf } from '../failure.ts';
import { list } from '../text.ts';
import { findVendorPrefix, readsVendorHeaders } from '../vendor-headers.ts';

/** Which headers the service uses for metadata and for the request id. Assumption A10. */
export const headerPrefix: Check = {
  id: 'header-prefix',
  title: 'Response headers',
  needs: 'gateway',
  assumptions: [['A10']],
  async *run(context) {
    yield* prefix(context);
    yield* requestId(context);
  },
};

async function* prefix(context: DiagnosisContext): Findings {
  const { metas, noKey } = context;
  const found = findVendorPrefix(metas);
  if (readsVendorHeaders(metas)) {
    const names =
      found === undefined ? 'documented headers' : `the headers that start with ${found}`;
    yield { status: 'ok', detail: `The client reads ${names}.` };
  } else if (found !== undefined) {
    const option = { headerPrefix: found };
    context.adopt(option);
    yield {
      status: 'warning',
      detail: `The headers of the service start with ${found}, so the client reads no charges, limits and task ids from them.`,
      advice: 'Set headerPrefix. Without it, spend and budget count nothing.',
      option,
    };
  } else {
    const detail = 'The responses to free requests have no header with a vendor prefix.';
    const advice =
      'If this is a browser, the service has to expose its headers: access-control-expose-headers. If a proxy is in between, it has to forward them.';
    yield noKey === undefined
      ? { status: 'warning', detail, advice }
      : { status: 'skipped', detail: `${detail} More are known with a valid API key.` };
  }
}

/** Names of headers that carry a request id in other services. */
const requestIdName = /request-?id|correlation-?id|trace-?id/;

/** Sends a request id and reads which header returns it. */
async function* requestId(context: DiagnosisContext): Findings {
  const assumption = 'A10';
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
    const detail = `The service accepts the caller's request id and returns it in ${list(echoes)}.`;
    yield { assumption, status: 'ok', detail };
    return;
  }
  const candidates = headerNames(meta, (_, name) => requestIdName.test(name));
  for (const name of new Set([...echoes, ...candidates].slice(0, 4))) {
    const option = { requestIdHeader: name };
    const other = await send(context.client.withOptions(option));
    if (!other.accepted) continue;
    context.adopt(option);
    yield {
      assumption,
      status: 'warning',
      detail: `The service takes the caller's request id from ${name} and returns it there.`,
      advice: 'Set requestIdHeader, so that your request ids reach the logs of the service.',
      option,
    };
    return;
  }
  const [name] = [...echoes, ...candidates];
  if (meta.requestId !== undefined) {
    const detail = "Responses have a request id, but the service ignores the caller's.";
    const advice = 'Log meta.requestId instead of passing requestId.';
    yield { assumption, status: 'warning', detail, advice };
  } else if (name !== undefined) {
    yield {
      assumption,
      status: 'warning',
      detail: `The service returns a request id in ${name}, which the client does not read.`,
      advice: 'Set requestIdHeader, so that errors contain the id that support asks for.',
      option: { requestIdHeader: name },
    };
  } else {
    const detail = 'Responses have no request id.';
    const advice = 'Note the time of a failed request: the service has no other way to find it.';
    yield { assumption, status: 'warning', detail, advice };
  }
}

function headerNames(
  { headers }: ResponseMeta,
  matches: (value: string, name: string) => boolean,
): string[] {
  return [...headers].filter(([name, value]) => matches(value, name)).map(([name]) => name);
}
