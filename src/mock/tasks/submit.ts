import type { Model } from '../../wire/types/catalog/models.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { keyedRequest, rejectConflict } from '../account/idempotency.ts';
import { formatUsd } from '../account/money.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { GatewayError, json } from '../http/response.ts';
import type { MockResponse } from '../http/response.ts';
import type { IdempotencyRecord, Task } from '../state.ts';
import { taskFailure, pollPath, resultUrls, taskRecord } from './record.ts';
import { justSubmitted } from './store.ts';

/** A validated and priced generation. */
export interface PricedGeneration {
  model: Model;
  prompt: string;
  /** Number of files to generate. */
  count: number;
  priceUsd: number;
}

/**
 * Submits a task, or replays the task that an earlier request with the same key created. `prepare`
 * validates and prices new tasks only: a replay is free, and does not fail if the price or a
 * voice has changed since. Specification: Common to all generation POST operations.
 */
export function submitTask(
  context: RequestContext,
  kind: TaskKind,
  body: Record<string, unknown>,
  prepare: () => PricedGeneration,
): MockResponse {
  const { key, earlier, leave } = keyedRequest(context, kind, body);
  if (earlier !== undefined) return replay(context, earlier, body);
  const {
    priceUsd,
    prompt,
    count,
    model: { id: model },
  } = prepare();
  const { ledger, tasks, makeId, settings } = context.services;
  const charge = { usd: priceUsd, model, idempotencyKey: key };
  ledger.checkBalance(context, charge);
  // The callbacks in the options can throw, so they are called before anything is charged.
  const submit = { kind, model, prompt, body, number: tasks.submitted + 1 };
  const behavior = settings.tasks;
  const durationMs =
    typeof behavior.durationMs === 'function' ? behavior.durationMs(submit) : behavior.durationMs;
  const outcome =
    typeof behavior.outcome === 'function' ? behavior.outcome(submit) : behavior.outcome;
  const id = makeId('task_');
  const chargeUsd = ledger.charge(context, { ...charge, taskId: id });
  const { user, key: apiKey, now: createdAt, route, requestId } = context;
  const task: Task = {
    id,
    kind,
    user,
    key: apiKey,
    model,
    prompt,
    body,
    createdAt,
    endsAt: createdAt + Math.max(0, durationMs),
    outcome,
    count,
    chargeUsd,
    route,
    requestId,
    idempotencyKey: key,
  };
  tasks.add(task);
  leave({ resourceId: id, chargeUsd });
  return json(202, taskRecord(context, task, justSubmitted), submitHeaders(context, task));
}

/**
 * Submits a task. If assumption A7 is `finished`, waits for the task to end and responds with its
 * files.
 */
export async function submitAndMaybeWait(
  context: RequestContext,
  kind: TaskKind,
  body: Record<string, unknown>,
  prepare: () => PricedGeneration,
): Promise<MockResponse> {
  const response = submitTask(context, kind, body, prepare);
  const task = context.services.tasks.byId(response.headers['x-svc-task-id'] ?? '');
  if (context.services.assumptions.A7 === 'task' || task === undefined) return response;
  const { clock, tasks } = context.services;
  await clock.sleep(task.endsAt - clock.now(), context.signal);
  tasks.sweep(clock.now());
  if (task.outcome === 'failed') throw new GatewayError(500, 'internal_error', taskFailure.message);
  const data = resultUrls({ ...context, now: clock.now() }, task).map((url) => ({ url }));
  return json(200, { created: Math.floor(task.endsAt / 1000), data }, response.headers);
}

function replay(
  context: RequestContext,
  earlier: IdempotencyRecord,
  body: Record<string, unknown>,
): MockResponse {
  rejectConflict(context, earlier, body);
  const task = context.services.tasks.byId(earlier.resourceId ?? '');
  if (task === undefined) {
    const message = 'The task created with this idempotency key no longer exists';
    throw new GatewayError(404, 'task_not_found', message);
  }
  const headers = { ...submitHeaders(context, task), 'x-svc-idempotent-replay': 'true' };
  return json(202, taskRecord(context, task), headers);
}

function submitHeaders(context: RequestContext, task: Task): Record<string, string> {
  const path = pollPath(context, task.kind, task.id);
  return {
    'x-svc-task-id': task.id,
    'x-svc-charge-usd': formatUsd(task.chargeUsd),
    // Two seconds, but at most half the duration of the task.
    'retry-after': String(Math.min(2, (task.endsAt - task.createdAt) / 2_000)),
    ...(path === undefined ? {} : { location: path }),
  };
}
