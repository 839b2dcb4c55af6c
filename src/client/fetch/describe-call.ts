import { chatEndpoints } from '../../wire/endpoints/chat.ts';
import type { Endpoint } from '../../wire/endpoints/endpoint.ts';
import { unknownRequest, findEndpoint } from '../../wire/endpoints/index.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { callTo } from '../call/api-request.ts';
import type { ApiRequest } from '../call/api-request.ts';
import type { Config } from '../config/config.ts';
import { parseJson } from '../http/json.ts';
import { keepMeta } from '../http/keep-meta.ts';
import { estimateBody } from '../limits/body-price.ts';
import type { FetchRequest, RequestBody } from './fetch-request.ts';

/** Returns the handle of a task that a response named. */
export type OpenTask = (
  kind: TaskKind,
  details: { id: string; idempotencyKey: string | undefined; meta: ResponseMeta },
) => TaskHandle;

/** What a chat requests. */
export interface DescribedChat {
  readonly choiceCount: number;
  readonly isStreamed: boolean;
}

/**
 * Describes the call that `gateway.fetch` makes for a request, as the client's method for the same route would, and what a
 * chat requests.
 */
export function describeCall(
  request: FetchRequest,
  route: Route,
  body: RequestBody,
  idempotencyKey: string | undefined,
  openTask: OpenTask,
): { readonly call: ApiRequest; readonly chat?: DescribedChat } {
  const { endpoint } = route;
  const parsed = parseBody(body);
  const { model, n, stream } = isRecord(parsed) ? parsed : {};
  const isChat = endpoint === chatEndpoints.chat.create;
  const kind = endpoint?.kind;
  const call: ApiRequest = {
    ...route.call,
    path: request.path,
    body,
    headers: isChat && stream === true ? { accept: 'text/event-stream' } : route.call.headers,
    // An unknown route keeps the header that the caller has chosen.
    idempotencyHeader: endpoint ? route.call.idempotencyHeader : request.key?.[0],
    model: typeof model === 'string' ? model : undefined,
    estimateUsd: estimateBody(endpoint?.price, parsed),
    findTask: (id, meta) => kind && openTask(kind, { id, idempotencyKey, meta: keepMeta(meta) }),
  };
  if (!isChat) return { call };
  const choiceCount = typeof n === 'number' ? n : 1;
  return { call, chat: { choiceCount, isStreamed: stream === true } };
}

/** A body that may be JSON. */
function parseBody(body: RequestBody): unknown {
  if (body === undefined) return undefined;
  return parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body));
}

/** How the client treats a request, and the endpoint that the specification has for it. */
export interface Route {
  readonly call: ApiRequest;
  /** Undefined if the specification has none. */
  readonly endpoint?: Endpoint;
}

/**
 * The route of a request. One that the specification does not have may cost money, and is not retried after an
 * unknown outcome unless its method is idempotent.
 */
export function findRoute(method: string, pathname: string, config: Config): Route {
  const isRead = method === 'HEAD' || method === 'OPTIONS';
  // Many services ignore repeated slashes and one at the end. A chat is sent once at either path, and must not end silently.
  const plain = pathname.replace(/\/+/g, '/').replace(/\/$/, '');
  const path = plain === chatEndpoints.chat.create.path ? plain : pathname;
  const endpoint = findEndpoint(isRead ? 'GET' : method, path);
  if (endpoint) return { endpoint, call: { ...callTo(endpoint, config), method } };
  // The default `accept` header of `fetch`.
  const headers = { accept: '*/*' };
  return { call: { method, template: pathname, headers, ...unknownRequest(method) } };
}
