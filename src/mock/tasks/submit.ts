import type { Model } from '../../schemas/models.ts';
import type { TaskKind } from '../../schemas/task.ts';
import { fingerprint, generationKey, remember } from '../account/idempotency.ts';
import { formatUsd } from '../account/money.ts';
import type { IdempotencyRecord, Task } from '../account/state.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import type { MockResponse } from '../http/response/response.ts';
import type { TaskSubmit } from '../options.ts';
import { justSubmitted } from './phase.ts';
import { failure, pollPath, resultUrls, taskRecord } from './record.ts';

/** A validated and priced generation. */
export interface Job {
  model: Model;
  prompt: string;
  /** Number of files to generate. */
  count: number;
  priceUsd: number;
}

/**
 * Submits a task, or replays the one that an earlier submit with the same key created. `prepare`
 * validates and prices new tasks only: a replay is free, and cannot fail because the price or a
 * voice has changed since. Specification: Common to all generation POST operations.
 */
export function submitTask(
  call: RequestContext,
  kind: TaskKind,
  body: Record<string, unknown>,
  prepare: () => Job,
): MockResponse {
  const key = generationKey(call);
  const scope = `${kind} ${key}`;
  const earlier = key === undefined ? undefined : call.user.idempotencyRecords.get(scope);
  if (earlier !== undefined) return replay(call, earlier, body);
  const job = prepare();
  const id = call.services.id('task_');
  const chargeUsd = call.services.ledger.charge(call, {
    usd: job.priceUsd,
    model: job.model.id,
    idempotencyKey: key,
    taskId: id,
  });
  const task = newTask(call, { kind, body, job, key, id, chargeUsd });
  call.services.tasks.add(task);
  if (key !== undefined) {
    remember(call, scope, { fingerprint: fingerprint(body), taskId: id, chargeUsd });
  }
  return json(202, taskRecord(call, task, justSubmitted), submitHeaders(call, task));
}

/**
 * Submits a task. With assumption A7 set to `finished`, waits for the task to end and responds with
 * its files.
 */
export async function submitOrFinish(
  call: RequestContext,
  kind: TaskKind,
  body: Record<string, unknown>,
  prepare: () => Job,
): Promise<MockResponse> {
  const response = submitTask(call, kind, body, prepare);
  const task = call.services.tasks.byId(response.headers['x-svc-task-id'] ?? '');
  if (call.services.assumptions.A7 === 'task' || task === undefined) return response;
  const { clock, tasks } = call.services;
  await clock.sleep(task.endsAt - clock.now(), call.signal);
  tasks.sweep(clock.now());
  if (task.outcome === 'failed') throw new GatewayError(500, 'internal_error', failure.message);
  const data = resultUrls({ ...call, now: clock.now() }, task).map((url) => ({ url }));
  return json(200, { created: Math.floor(task.endsAt / 1000), data }, response.headers);
}

function replay(
  call: RequestContext,
  earlier: IdempotencyRecord,
  body: Record<string, unknown>,
): MockResponse {
  if (call.services.assumptions.A13 === 'conflict' && earlier.fingerprint !== fingerprint(body)) {
    const message = 'This idempotency key was already used for a different request';
    throw new GatewayError(409, 'idempotency_conflict', message);
  }
  const task = call.services.tasks.byId(earlier.taskId ?? '');
  if (task === undefined)
    throw new GatewayError(
      404,
      'task_not_found',
      'The task of this idempotency key no longer exists',
    );
  const headers = { ...submitHeaders(call, task), 'x-svc-idempotent-replay': 'true' };
  return json(202, taskRecord(call, task), headers);
}

function submitHeaders(call: RequestContext, task: Task): Record<string, string> {
  const path = pollPath(call, task.kind, task.id);
  return {
    'x-svc-task-id': task.id,
    'x-svc-charge-usd': formatUsd(task.chargeUsd),
    // Two seconds, but at most half the duration of the task.
    'retry-after': String(Math.min(2, (task.endsAt - task.createdAt) / 2_000)),
    ...(path === undefined ? {} : { location: path }),
  };
}

interface NewTask {
  kind: TaskKind;
  body: Record<string, unknown>;
  job: Job;
  key: string | undefined;
  id: string;
  chargeUsd: number;
}

function newTask(call: RequestContext, { kind, body, job, key, id, chargeUsd }: NewTask): Task {
  const { settings, tasks } = call.services;
  tasks.submitted += 1;
  const submit: TaskSubmit = {
    kind,
    model: job.model.id,
    prompt: job.prompt,
    body,
    number: tasks.submitted,
  };
  const { durationMs, outcome } = settings.tasks;
  const duration = typeof durationMs === 'function' ? durationMs(submit) : durationMs;
  return {
    id,
    kind,
    user: call.user,
    key: call.key,
    model: job.model.id,
    prompt: job.prompt,
    body,
    createdAt: call.now,
    endsAt: call.now + Math.max(0, duration),
    outcome: typeof outcome === 'function' ? outcome(submit) : outcome,
    count: job.count,
    chargeUsd,
    route: call.route,
    requestId: call.requestId,
    idempotencyKey: key,
  };
}
