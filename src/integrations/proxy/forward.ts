import {
  bytesWithoutHalfPairs,
  isCloudflare,
  isEventStream,
  parseResponseMeta,
  networkAdvice,
  networkErrorMessage,
  networkOutcome,
} from '../../internal.ts';
import { toNano } from '../../paid/amounts.ts';
import { outcomeOf, verdictOf } from '../../paid/verdict.ts';
import { redactKeys } from '../../wire/types/redact-key.ts';
import { ProxyError } from './error-response.ts';
import { copyOf, filterList, recordOwner } from './isolate/ownership.ts';
import { resourcesIn } from './isolate/references.ts';
import { admit } from './limits/spending.ts';
import { resolveApiKey } from './options.ts';
import type { ProxyResponse } from './options.ts';
import type { Prepared } from './prepare.ts';
import { readError, relayError, relayResponse } from './response.ts';
import type { Route } from './routes.ts';
import type { Settings } from './settings.ts';

/** Reserves and sends a request, records its outcome, and builds the page's response. */
export async function forward(prepared: Prepared, settings: Settings): Promise<Response> {
  const { request, target, call, headers, body, limits, key, bodyHash } = prepared;
  const { route } = target;
  const apiKey = route.needsKey ? await resolveApiKey(settings) : undefined;
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  const keys = apiKey === undefined ? [] : [apiKey];
  const redact = (text: string) => {
    const withoutKey = apiKey === undefined ? text : text.replaceAll(apiKey, 'sk-…');
    return redactKeys(withoutKey, keys, 'sk-…').replace(/\bsk-[^\s"'`]+/g, 'sk-…');
  };
  // If the client has already disconnected, nothing is reserved.
  request.signal.throwIfAborted();
  const admission = await admit(
    {
      user: call.user,
      attempt: prepared.attempt,
      limits,
      usd: call.reservedUsd ?? 0,
      key: key && `${route.keyScope} ${key}`,
      isChargedOnce: route.keyHeader !== undefined,
      body: bodyHash,
    },
    settings,
  );
  if (request.signal.aborted) await admission.cancel();
  request.signal.throwIfAborted();

  const { method } = call;
  const { signal, stop } = method === 'POST' ? outlive(request.signal) : whilePresent(request);
  const report = (message: string) => settings.report(new Error(redact(message)));
  const url = settings.baseURL + target.path + target.search;
  try {
    const init = { method, headers, body: body && bytesWithoutHalfPairs(body), signal };
    const upstream = await fetchUpstream(settings.fetch, url, init, report);
    const meta = parseResponseMeta(upstream, settings, keys, (message) => report(message()));
    const { status, chargeUsd, idempotentReplay: replay, requestId } = meta;
    const error =
      status >= 400 ? await readError(upstream, meta, request.signal, redact) : undefined;
    const verdict = error?.verdict ?? verdictOf(meta);
    const outcome = upstream.ok ? 'accepted' : outcomeOf(verdict);
    if (prepared.units && chargeUsd !== undefined) {
      settings.largestCharges.learn(prepared.units, toNano(chargeUsd));
    }
    const hasEvents = upstream.body !== null && isEventStream(upstream);
    const isStreaming = upstream.ok && (prepared.isStream || hasEvents);
    await admission.settle(verdict, isStreaming);
    const record = namesResource(prepared, settings) ? await copyOf(upstream) : undefined;
    // An error can name the task of a request that may have been carried out, which only its owner may continue.
    const isPossiblyDone = outcome === 'accepted' || outcome === 'unknown';
    if (settings.isolate === true && isPossiblyDone && namesOwnResource(prepared)) {
      await recordOwner(call.user, { route, taskId: meta.taskId, body: record }, settings);
    }
    await callOnResponse(settings, {
      ...call,
      taskId: meta.taskId ?? call.taskId,
      materialId:
        (createsMaterial(route) ? resourcesIn(record ?? '', ['id'])[0] : undefined) ??
        call.materialId,
      status,
      outcome,
      chargeUsd,
      replay,
      requestId,
    });
    if (error !== undefined) return withoutKeys(relayError(upstream, error, settings), keys);
    const onEnd = isStreaming ? () => admission.end() : () => {};
    if (isRedirect(upstream)) throw redirectError(upstream, report);
    if (settings.isolate === true && upstream.ok && route.isList) {
      const filtered = await filterList(call.user, await upstream.text(), settings);
      const list = new Response(filtered, { status, headers: upstream.headers });
      return withoutKeys(relayResponse(list, request, settings, apiKey, onEnd), keys);
    }
    return withoutKeys(relayResponse(upstream, request, settings, apiKey, onEnd), keys);
  } catch (error) {
    if (error instanceof UpstreamError) {
      const { outcome } = error;
      await (outcome === 'not-sent' ? admission.cancel() : admission.fail());
      await callOnResponse(settings, { ...call, status: undefined, outcome, replay: false });
    } else {
      // Its lease would be renewed for ever.
      await admission.fail();
    }
    throw error;
  } finally {
    stop();
  }
}

/** Removes the API key from the headers of a response to the page, in case the gateway repeats it. */
function withoutKeys(response: Response, keys: readonly string[]): Response {
  for (const [name, value] of response.headers) {
    const shown = redactKeys(value, keys, '(the API key)');
    if (shown !== value) response.headers.set(name, shown);
  }
  return response;
}

/** How long the proxy waits for the response to a POST whose page has left, in ms. */
const maxWaitAfterLeaving = 600_000;

/**
 * A signal for a POST, which may be charged although its page has left: it aborts only if what `onResponse` reports,
 * the charge and the id, does not arrive in time. Call `stop` once it has arrived.
 */
function outlive(page: AbortSignal): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onLeave = () => {
    const reason = new Error('The page left, and no response arrived within 10 minutes');
    timer = setTimeout(() => controller.abort(reason), maxWaitAfterLeaving);
  };
  page.addEventListener('abort', onLeave, { once: true });
  const stop = () => {
    page.removeEventListener('abort', onLeave);
    clearTimeout(timer);
  };
  return { signal: controller.signal, stop };
}

/** The signal of any other request: it ends with its page. */
function whilePresent({ signal }: Request) {
  return { signal, stop: () => {} };
}

/** Calls `onResponse`. If it throws, the page still receives the response, which may be a paid task. */
async function callOnResponse(
  { onResponse, report }: Settings,
  response: ProxyResponse,
): Promise<void> {
  try {
    await onResponse?.(response);
  } catch (error) {
    report(error);
  }
}

/** Whether a response describes a resource that its user owns. A route that is not documented may create one. */
function namesOwnResource({ target: { route }, isOwner }: Prepared): boolean {
  if (route.method === 'POST') return !route.isChat;
  // The URI of a material is in no other response.
  return route.method === 'GET' && route.resource === 'material' && isOwner;
}

/** Whether the proxy reads the body to find the id of a resource. The body is small enough to copy. */
function namesResource(prepared: Prepared, { isolate, onResponse }: Settings): boolean {
  if (isolate === true && namesOwnResource(prepared)) return true;
  return onResponse !== undefined && createsMaterial(prepared.target.route);
}

const createsMaterial = ({ method, resource }: Route): boolean =>
  method === 'POST' && resource === 'material';

/** No response arrived. */
class UpstreamError extends ProxyError {
  /** Whether the request may have been charged. */
  readonly outcome: 'not-sent' | 'unknown';

  constructor(
    outcome: UpstreamError['outcome'],
    ...details: ConstructorParameters<typeof ProxyError>
  ) {
    super(...details);
    this.outcome = outcome;
  }
}

/**
 * Sends a request to the gateway once. A request that was never sent becomes a 503, which is safe to retry; one that
 * may have arrived becomes a 502.
 */
async function fetchUpstream(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  report: (message: string) => void,
): Promise<Response> {
  // Some frameworks cache GET responses, so polling a task would return an old status. Cloudflare Workers reject the option.
  const cache = isCloudflare() ? {} : ({ cache: 'no-store' } as const);
  try {
    return await fetch(url, { ...init, redirect: 'manual', ...cache });
  } catch (error) {
    // A page that disconnects causes this error itself, unless the request may be charged.
    if (init.method === 'POST' || init.signal?.aborted !== true) {
      const advice = networkAdvice(error);
      const problem = `The request to the gateway failed: ${networkErrorMessage(error)}`;
      report(advice === undefined ? problem : `${problem}. ${advice}`);
    }
    if (networkOutcome(error) === 'not-sent') {
      throw new UpstreamError(
        'not-sent',
        503,
        'service_unavailable',
        'The gateway cannot be reached. Nothing was sent.',
      );
    }
    throw new UpstreamError(
      'unknown',
      502,
      'bad_gateway',
      'The connection to the gateway was lost. The request may have been processed and charged.',
    );
  }
}

/** Whether a response leads elsewhere. Browsers report the status 0. */
function isRedirect({ ok, status }: Response): boolean {
  return !ok && status < 400;
}

/** The error for a redirect, which is not followed because that could send the API key to another host. */
function redirectError(response: Response, report: (message: string) => void): ProxyError {
  response.body?.cancel().catch(() => {});
  report('The gateway responded with a redirect, which the proxy does not follow. Check baseURL.');
  return new ProxyError(502, 'bad_gateway', 'The gateway responded with a redirect.');
}
