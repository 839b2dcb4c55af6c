import { parseResponseMeta } from '../internal/response-meta.ts';
import { parseRecord, readBody } from './body.ts';
import { checkModel } from './model.ts';
import type { ProxyCall, ProxyResponse } from './options.ts';
import { requestHeaders, resolveApiKey } from './request-headers.ts';
import { relayResponse } from './response.ts';
import type { Target } from './routes.ts';
import type { Settings } from './settings.ts';
import { fetchUpstream, rejectRedirect } from './upstream.ts';

/**
 * Sends an authorized request to the gateway, after checking its idempotency key and body, and builds the page's
 * response.
 */
export async function forward(
  request: Request,
  target: Target,
  call: ProxyCall,
  settings: Settings,
): Promise<Response> {
  const { method } = call;
  const headers = await requestHeaders(request, call.user, settings);
  const body = method === 'POST' ? await readBody(request, settings.maxBodyBytes) : null;
  if (body !== null && settings.models !== undefined) {
    checkModel(body, settings.models, target.route);
  }
  const apiKey = target.route.needsKey ? await resolveApiKey(settings) : undefined;
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  const redact = (text: string) => {
    const withoutKey = apiKey === undefined ? text : text.replaceAll(apiKey, 'sk-…');
    return withoutKey.replace(/\bsk-[^\s"'`]+/g, 'sk-…');
  };
  // A page that has left by now has paid for nothing.
  request.signal.throwIfAborted();
  // With a key, a repeated request is harmless, and its response has the task.
  const { keyHeader } = target.route;
  const isReplayed = keyHeader !== undefined && headers.has(keyHeader);
  if (method === 'POST' && !isReplayed) settings.checkAttempt(call, request.headers);
  const { signal, stop } = method === 'POST' ? outlive(request.signal) : whilePresent(request);
  const report = (message: string) => settings.report(new Error(redact(message)));
  const url = settings.baseURL + target.path + target.search;
  let upstream: Response;
  try {
    upstream = await fetchUpstream(settings.fetch, url, { method, headers, body, signal }, report);
    await callOnResponse(upstream, call, settings);
  } finally {
    stop();
  }
  rejectRedirect(upstream, report);
  return relayResponse(upstream, request, settings, redact);
}

/** How long the proxy waits for the response to a POST whose page has left, in ms. */
const maxWaitAfterLeaving = 600_000;

/**
 * A signal for a POST, which may be charged although its page has left: it aborts only if what `onResponse` reports, the
 * charge and the id, does not arrive in time. Call `stop` once it has arrived.
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
  upstream: Response,
  call: ProxyCall,
  settings: Settings,
): Promise<void> {
  const { onResponse, report } = settings;
  if (onResponse === undefined) return;
  const { taskId, status, chargeUsd, idempotentReplay, requestId } = parseResponseMeta(
    upstream,
    settings,
  );
  try {
    await onResponse({
      ...call,
      taskId: taskId ?? call.taskId,
      materialId: (await createdMaterialId(upstream, call)) ?? call.materialId,
      status,
      chargeUsd,
      replay: idempotentReplay,
      requestId,
    } satisfies ProxyResponse);
  } catch (error) {
    report(error);
  }
}

/** Returns the id of a new material, which is only in the body. The body is small enough to clone. */
async function createdMaterialId(upstream: Response, { route }: ProxyCall) {
  if (route !== 'POST /v1/materials' || !upstream.ok) return undefined;
  const { id } = parseRecord(await upstream.clone().text()) ?? {};
  return typeof id === 'string' ? id : undefined;
}
