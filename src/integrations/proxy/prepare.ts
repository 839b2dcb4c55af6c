import type { PricedUnits } from '../../paid/prices.ts';
import {
  checkPricedNames,
  checkRepeatedNames,
  readFields,
  checkModel,
  parseRecord,
  readBody,
} from './body/fields.ts';
import { ProxyError } from './error-response.ts';
import { attemptOf, requestHeaders, sha256 } from './headers.ts';
import { checkBody, checkPath } from './isolate/ownership.ts';
import { priceToReserve } from './limits/prices.ts';
import type { ResolvedLimits } from './limits/user-limits.ts';
import type { ProxyCall } from './options.ts';
import type { Target } from './routes.ts';
import type { Settings } from './settings.ts';

/** A request that has passed every check that needs no reservation. */
export interface Prepared {
  readonly request: Request;
  readonly target: Target;
  readonly call: ProxyCall;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly limits: ResolvedLimits | undefined;
  /** What the request pays for, if it has a listed price that a limit reads. */
  readonly units: PricedUnits | undefined;
  /** The idempotency key that the gateway receives, if its route has one. */
  readonly key: string | undefined;
  /** Identifies the body. */
  readonly bodyHash: string;
  /** Identifies the attempt of a browser, if repeating it could be charged. */
  readonly attempt: string | undefined;
  /** Whether the request is a chat that the page wants streamed. The response may have any content type. */
  readonly isStream: boolean;
  /** Whether the path names a resource that the user owns, as far as `isolate` has checked. */
  readonly isOwner: boolean;
}

/** Checks the headers, the body, the permission and the owners of a request, and estimates its price. */
export async function prepare(
  request: Request,
  target: Target,
  user: string,
  settings: Settings,
): Promise<Prepared> {
  const { route, path, values } = target;
  const isPost = route.method === 'POST';
  const limits = isPost ? await settings.limitsOf(user, request) : undefined;
  const headers = await requestHeaders(request, user, route, settings);
  const key = headers.get(route.keyHeader ?? 'x-idempotency-key') ?? undefined;
  const body = isPost ? await readBody(request, settings.maxBodyBytes) : null;
  const record = body === null ? {} : checkFields(body, target, limits, settings);
  const price = limits && (await priceToReserve(route, record, limits, settings));
  const call: ProxyCall = {
    user,
    method: route.method,
    route: route.name,
    path,
    taskId: values.taskId,
    materialId: values.materialId,
    model: typeof record.model === 'string' ? record.model : undefined,
    keyHash: key,
    reservedUsd: price?.usd,
  };
  const permitted: unknown = settings.permit === undefined || (await settings.permit(call));
  if (permitted !== true) {
    throw new ProxyError(403, 'not_permitted', 'This app does not permit this request.');
  }
  let isOwner = false;
  if (settings.isolate === true) {
    isOwner = await checkPath(user, target, settings);
    if (body !== null) await checkBody(user, new TextDecoder().decode(body), settings);
  }
  // A repeated request with a key is not charged again, and its response has the task.
  const isKeyed = route.keyHeader !== undefined && key !== undefined;
  const attempt = isPost && !isKeyed ? attemptOf(request.headers, path) : undefined;
  const bodyHash = body === null || limits === undefined ? '' : await sha256(body);
  const isStream = route.isChat && record.stream === true;
  return {
    request,
    target,
    call,
    headers,
    body,
    limits,
    units: price?.units,
    key,
    bodyHash,
    attempt,
    isStream,
    isOwner,
  };
}

/** Checks the fields of a body as far as an option depends on them, and returns them. */
function checkFields(
  bytes: Uint8Array<ArrayBuffer>,
  { route }: Target,
  limits: ResolvedLimits | undefined,
  { models, isolate }: Settings,
): Readonly<Record<string, unknown>> {
  if (models === undefined && limits === undefined && isolate !== true) {
    return parseRecord(new TextDecoder().decode(bytes)) ?? {};
  }
  const body = readFields(bytes);
  if (models !== undefined) checkModel(body, models, route);
  if (limits !== undefined || isolate === true) checkRepeatedNames(body);
  if (limits?.usd !== undefined && route.price !== undefined) checkPricedNames(body);
  return body.record;
}
