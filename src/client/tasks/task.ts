import { ConfigurationError } from '../../errors/base.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import type { TaskHandle, TaskUpdate, WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import type {
  Generation,
  Receipt,
  SucceededGeneration,
  TaskKind,
} from '../../wire/types/tasks/task.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { withParts } from '../call/execute.ts';
import { checkRequestOptions, noBodyRules, noOptions } from '../call/request-options.ts';
import type { PollHeaders, RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request.ts';
import { startRequest } from '../call/request.ts';
import { throwToCaller } from '../config/caller.ts';
import type { Span } from '../config/caller.ts';
import { checkValue, idempotencyKeyRule, oneOf, stringValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { parseJson } from '../http/json.ts';
import { checkPathValue } from '../http/path.ts';
import { pollHeadersOf } from './polled-record.ts';
import type { PollResult } from './polled-record.ts';
import { KnownTask } from './task-scope.ts';
import type { TaskDetails, TaskScope } from './task-scope.ts';
import { checkAndWait, updatesOf, waitForResult, waits } from './wait.ts';

/** A submitted task: wait for it, follow its updates, or store its receipt. It is not a promise. */
export class Task<Kind extends TaskKind = TaskKind> implements TaskHandle<Kind> {
  /** Task id. */
  readonly id: string;
  /** What the task generates. */
  readonly kind: Kind;
  /** Id of the model that generates it; undefined if only the id or an ordinary receipt is known. */
  readonly model: string | undefined;
  /** The idempotency key of the submission; undefined if only the id is known. */
  readonly idempotencyKey: string | undefined;
  /** The charge of the submission in USD, if known. */
  readonly chargeUsd: number | undefined;
  /** Metadata of the submission's response; undefined for a resumed task. */
  readonly meta: ResponseMeta | undefined;
  readonly #known: KnownTask<Kind>;

  /** @internal */
  constructor(scope: TaskScope<Kind>, details: TaskDetails, latest?: PollResult<Generation<Kind>>) {
    this.id = details.id;
    this.kind = scope.kind;
    this.model = details.model;
    this.idempotencyKey = details.idempotencyKey;
    this.chargeUsd = details.chargeUsd;
    this.meta = details.meta;
    this.#known = new KnownTask(this, scope, details, latest);
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /** Whether the idempotency key matched an existing task, so that no new one was paid for. */
  get replayed(): boolean {
    return this.meta?.idempotentReplay ?? false;
  }

  /** The last known state of the task; undefined before the first poll of a resumed task. */
  get latest(): Generation<Kind> | undefined {
    return this.#known.latest.value;
  }

  /**
   * Waits until the task succeeds. Keeps polling through outages until `waitTimeout`.
   *
   * @throws {@link TaskFailedError} when the task fails.
   * @throws {@link TaskWaitTimeoutError} at `waitTimeout`; the task continues.
   * @throws {@link AbortedError} when the signal aborts; the task continues.
   * @throws {@link ResponseValidationError} when the task has succeeded without a result.
   * @throws {@link APIError} when the service rejects polls: any 4xx except 408 and 429, or three consecutive 404s.
   */
  wait(options: WaitOptions<TaskUpdate<Kind>> = {}): Promise<SucceededGeneration<Kind>> {
    const known = this.#known;
    return checkAndWait(known, (steps) => new steps.TaskPolls(known), options).catch(throwToCaller);
  }

  /** @internal Waits with options that have been checked, such as those of `generate`. */
  waitForResult(
    options: WaitOptions<TaskUpdate<Kind>>,
    parent?: Span,
  ): Promise<SucceededGeneration<Kind>> {
    const known = this.#known;
    return waitForResult(known, (steps) => new steps.TaskPolls(known), options, parent);
  }

  /**
   * Yields the result of every poll until the task has ended, including the last one. A failed task ends the updates
   * without an error. A failed poll is an update with `pollError`, and polling continues.
   *
   * @throws the same errors as {@link Task.wait}, except `TaskFailedError`.
   */
  updates(
    options: Omit<WaitOptions<TaskUpdate<Kind>>, 'onUpdate'> = {},
  ): AsyncGenerator<TaskUpdate<Kind>, void, undefined> {
    const known = this.#known;
    return updatesOf(known, (steps) => new steps.TaskPolls(known), options);
  }

  /** Polls once. */
  retrieve(options: RequestOptions = {}): RequestPromise<Generation<Kind>> {
    const known = this.#known;
    const { context, details } = known;
    const prepare = () => ({
      ...known.request,
      options: {
        ...checkRequestOptions(options, noBodyRules),
        ...pollHeadersOf(options, details.pollHeaders),
      },
    });
    return startRequest(context, prepare, (prepared) =>
      withParts(context, { ...prepared, parts: [waits] }, ({ options: checked = noOptions }) =>
        waits.use(context.config, ({ pollOnce }) => pollOnce(known, checked)),
      ),
    );
  }

  /** The receipt for `gateway.resume`: plain JSON without the API key or the prompt. */
  toJSON(): Receipt<Kind> {
    const { id, kind, model, idempotencyKey, chargeUsd } = this;
    const { namesModel, submittedAt } = this.#known.details;
    return omitUndefined<Receipt<Kind>>({
      v: 1,
      kind,
      id,
      model: namesModel ? model : undefined,
      idempotencyKey,
      chargeUsd,
      submittedAt,
    });
  }
}

/** A task that this process submitted, so that its key, metadata and first state are known. */
export interface SubmittedTask<Kind extends TaskKind = TaskKind> extends Task<Kind> {
  readonly model: string;
  readonly idempotencyKey: string;
  readonly meta: ResponseMeta;
  /** The last known state of the task. */
  readonly latest: Generation<Kind>;
}

/**
 * The handle of a task that was submitted before, from its id or receipt. Sends nothing.
 *
 * @throws {@link ConfigurationError} when the id or the receipt is invalid, or the receipt is for another kind.
 */
export function openTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  idOrReceipt: string | Receipt,
  pollHeaders?: PollHeaders,
): Task<Kind> {
  // An id is never JSON.
  const receipt =
    typeof idOrReceipt === 'string' && !idOrReceipt.startsWith('{')
      ? { id: idOrReceipt, kind: scope.kind }
      : parseReceipt(idOrReceipt);
  if (receipt.kind !== scope.kind) {
    throw new ConfigurationError(
      `receipt: its kind is ${receipt.kind}, not ${scope.kind}. Use gateway.resume(receipt).`,
    );
  }
  checkPathValue('id', receipt.id);
  return new Task(scope, { ...receipt, namesModel: true, pollHeaders });
}

/** The fields of a receipt. Whether the id is safe in a URL path is checked where the path is built. */
const fieldRules: Readonly<Record<keyof Receipt, Rule>> = {
  v: [(value) => value === 1, '1, the only supported version'],
  kind: oneOf('image', 'video', 'audio'),
  id: stringValue,
  model: stringValue,
  idempotencyKey: idempotencyKeyRule,
  // JSON has null instead of NaN and Infinity. An invalid charge must not make the task unreachable.
  chargeUsd: [(value) => typeof value === 'number' || value === null, 'an amount in USD'],
  submittedAt: [
    (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    'an ISO 8601 date',
  ],
};

/**
 * Validates a receipt that was read from a file, a queue or a database, or its JSON text.
 *
 * @throws {@link ConfigurationError} that names the invalid field.
 */
export function parseReceipt(given: unknown): Receipt {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isRecord(value)) {
    throw new ConfigurationError(
      'receipt: must be what JSON.stringify(task) or task.toJSON() returned. For a task id, use a namespace: gateway.images.task(id).',
    );
  }
  // A missing required field becomes null, which no rule accepts.
  const fields: Record<string, unknown> = {
    v: null,
    kind: null,
    id: null,
    ...omitUndefined(value),
  };
  const receipt: Record<string, unknown> = {};
  // No other fields: a task must not poll a path, or send headers, that a file names.
  for (const [name, rule] of Object.entries(fieldRules)) {
    checkValue(`receipt: ${name}`, fields[name], rule);
    receipt[name] = fields[name];
  }
  const { chargeUsd } = fields;
  const isValidCharge = typeof chargeUsd === 'number' && chargeUsd >= 0 && chargeUsd < Infinity;
  if (!isValidCharge) delete receipt.chargeUsd;
  return unchecked<Receipt>(receipt);
}
