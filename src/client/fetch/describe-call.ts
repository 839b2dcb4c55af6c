import { createChatCompletion } from '../../wire/endpoints/catalog.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import type { ApiCall } from '../call/api-call.ts';
import { parseJson } from '../http/json.ts';
import { keepMeta } from '../http/kept-meta.ts';
import { estimateBody } from '../limits/body-price.ts';
import type { FetchRequest, RequestBody } from './fetch-request.ts';
import type { Route } from './routes.ts';

/** Returns the handle of a task that a response named. */
export type OpenTask = (
  kind: TaskKind,
  details: { id: string; idempotencyKey: string | undefined; meta: ResponseMeta },
) => TaskHandle;

/** The call that `gateway.fetch` makes for a request, and what to expect of its response. */
export interface DescribedCall {
  readonly call: ApiCall;
  /** What a chat requests; undefined if the request is no chat. */
  readonly chat?: DescribedChat | undefined;
}

/** What a chat requests. */
export interface DescribedChat {
  readonly choiceCount: number;
  readonly isStreamed: boolean;
}

/** What a call is described from. */
interface CallSource {
  readonly request: FetchRequest;
  readonly route: Route;
  readonly body: RequestBody;
  readonly idempotencyKey: string | undefined;
  readonly openTask: OpenTask;
}

/** Describes the call as the client's method for the same route would. */
export function describeCall({
  request,
  route,
  body,
  idempotencyKey,
  openTask,
}: CallSource): DescribedCall {
  const { endpoint } = route;
  const parsed = parseBody(body);
  const { model, n, stream } = isRecord(parsed) ? parsed : {};
  const isChat = endpoint === createChatCompletion;
  const kind = endpoint?.kind;
  const call: ApiCall = {
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
