import { passOn } from './answer.ts';
import { parseRecord, readBody } from './body.ts';
import type { ProxyAnswer, ProxyCall } from './options.ts';
import { outgoingHeaders, readKey } from './outgoing.ts';
import type { Target } from './routes.ts';
import type { Settings } from './settings.ts';
import { reach } from './upstream.ts';

/** Sends a request that has passed every check, and gives the gateway's answer as the page gets it. */
export async function forward(
  request: Request,
  target: Target,
  call: ProxyCall,
  settings: Settings,
): Promise<Response> {
  const { method } = call;
  const headers = await outgoingHeaders(request, call.user, settings);
  const body = method === 'POST' ? await readBody(request, settings) : null;
  const key = target.route.needsKey ? await readKey(settings) : undefined;
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  const hide = (words: string) => {
    const hidden = key === undefined ? words : words.replaceAll(key, 'sk-…');
    return hidden.replace(/\bsk-[^\s"'`]+/g, 'sk-…');
  };
  const upstream = await reach(
    settings.fetch,
    settings.baseURL + target.path + target.search,
    { method, headers, body, signal: request.signal },
    (words) => settings.report(new Error(hide(words))),
  );
  await tell(upstream, call, settings);
  return passOn(upstream, request, settings, hide);
}

/** Tells the app what came of a request. When it cannot listen, a task that is paid for still reaches the page. */
async function tell(upstream: Response, call: ProxyCall, settings: Settings): Promise<void> {
  const { onResponse, report, headerPrefix, requestIdHeader } = settings;
  if (onResponse === undefined) return;
  const header = (name: string) => upstream.headers.get(name) ?? undefined;
  const charge = Number.parseFloat(header(`${headerPrefix}charge-usd`) ?? '');
  try {
    await onResponse({
      ...call,
      taskId: header(`${headerPrefix}task-id`) ?? call.taskId,
      materialId: (await createdMaterial(upstream, call)) ?? call.materialId,
      status: upstream.status,
      chargeUsd: Number.isFinite(charge) ? charge : undefined,
      replay: header(`${headerPrefix}idempotent-replay`)?.toLowerCase() === 'true',
      requestId: header(requestIdHeader),
    } satisfies ProxyAnswer);
  } catch (error) {
    report(error);
  }
}

/** A new material's id is in the body, which is short. */
async function createdMaterial(upstream: Response, { route }: ProxyCall) {
  if (route !== 'POST /v1/materials' || !upstream.ok) return undefined;
  const { id } = parseRecord(await upstream.clone().text()) ?? {};
  return typeof id === 'string' ? id : undefined;
}
