import { parseRecord, readBody } from './body.ts';
import { checkModel } from './model.ts';
import type { ProxyCall, ProxyResponse } from './options.ts';
import { requestHeaders, resolveApiKey } from './request-headers.ts';
import { relayResponse } from './response.ts';
import type { Target } from './routes.ts';
import type { Settings } from './settings.ts';
import { fetchUpstream } from './upstream.ts';

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
  const upstream = await fetchUpstream(
    settings.fetch,
    settings.baseURL + target.path + target.search,
    { method, headers, body, signal: request.signal },
    (message) => settings.report(new Error(redact(message))),
  );
  await callOnResponse(upstream, call, settings);
  return relayResponse(upstream, request, settings, redact);
}

/** Calls `onResponse`. If it throws, the page still receives the response, which may be a paid task. */
async function callOnResponse(
  upstream: Response,
  call: ProxyCall,
  settings: Settings,
): Promise<void> {
  const { onResponse, report, headerPrefix, requestIdHeader } = settings;
  if (onResponse === undefined) return;
  const header = (name: string) => upstream.headers.get(name) ?? undefined;
  const charge = Number.parseFloat(header(`${headerPrefix}charge-usd`) ?? '');
  try {
    await onResponse({
      ...call,
      taskId: header(`${headerPrefix}task-id`) ?? call.taskId,
      materialId: (await createdMaterialId(upstream, call)) ?? call.materialId,
      status: upstream.status,
      chargeUsd: Number.isFinite(charge) ? charge : undefined,
      replay: header(`${headerPrefix}idempotent-replay`)?.toLowerCase() === 'true',
      requestId: header(requestIdHeader),
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
