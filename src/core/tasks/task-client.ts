import type { APIError } from '../../errors/api.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { Generation, Receipt, TaskKind } from '../../schemas/task.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import { readJson } from '../call/response.ts';
import type { ApiResponse } from '../call/response.ts';
import { parseGeneration } from './generation.ts';
import { fillPath } from '../http/path.ts';
import { isUnknownPath, candidatePollPaths, serverPollPath } from './poll-path.ts';
import type { PollPath } from './poll-path.ts';
import { resolvePollTiming } from './poll.ts';
import { parseReceipt } from './receipt.ts';
import { RequestPromise } from '../call/request-promise.ts';
import { withIdempotencyKey } from '../call/api-call.ts';
import type { ApiCall, ResponseReader, RequestOptions } from '../call/api-call.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import type { Sender } from '../call/sender.ts';
import { Submission } from './submission.ts';
import { SubmittedTask, Task, taskPollTiming } from './task.ts';

/** How one kind of task is submitted and asked for. */
export interface TaskRoutes<Kind extends TaskKind> {
  readonly kind: Kind;
  /** Where a task is asked for, and where else when that is not it. Assumptions A1 and A2. */
  readonly paths: readonly [string, ...string[]];
}

/** A submit, as a resource describes it. */
export interface Submit {
  readonly template: string;
  readonly params: { model: string };
  /** Refuses params that the specification refuses. */
  readonly check: () => void;
  /** What it is going to cost, USD, by the prices of its model. */
  readonly quote: (prices: KnownPrices) => number | undefined;
}

/** The id in a submit's answer, also when the answer is otherwise wrong. */
interface Seen {
  id?: string | undefined;
}

/** Options of a call that submits and waits. */
export interface GenerateOptions<Kind extends TaskKind>
  extends RequestOptions, Omit<WaitOptions<TaskUpdate<Kind>>, 'signal'> {
  /** Called once the task is accepted and paid: the moment to write down its receipt. */
  onSubmit?: ((task: SubmittedTask<Kind>) => void) | undefined;
}

/** Everything about tasks that is the same for images, videos, music and speech. */
export class TaskClient<Kind extends TaskKind> {
  readonly kind: Kind;
  readonly sender: Sender;
  readonly #paths: readonly [string, ...string[]];
  /** Where a task was found, so that it is looked for only once. */
  readonly #found = new WeakMap<Task<Kind>, PollPath>();

  constructor(sender: Sender, { kind, paths }: TaskRoutes<Kind>) {
    this.sender = sender;
    this.kind = kind;
    this.#paths = paths;
  }

  /** Submits a task; the same key never pays twice. */
  submit(submit: Submit, options?: RequestOptions): RequestPromise<SubmittedTask<Kind>> {
    return this.#send(submit, options, (answer) => answer);
  }

  /** A submit that is not sent yet. */
  submission(submit: Submit, options?: RequestOptions): Submission<Kind> {
    return new Submission(this, submit, options);
  }

  /** Submits a task and waits for it. */
  generate(submit: Submit, options: GenerateOptions<Kind> = {}): RequestPromise<Generation<Kind>> {
    const check = () => {
      submit.check();
      resolvePollTiming(options, taskPollTiming);
    };
    return this.#send({ ...submit, check }, options, async (answer) => {
      this.sender.notify(options.onSubmit, answer.data, 'onSubmit');
      return { ...answer, data: await answer.data.wait(options) };
    });
  }

  /** One poll of a task, given as a handle, which takes note of what is found, or as an id. */
  retrieve(from: string | Task<Kind>, options?: RequestOptions): RequestPromise<Generation<Kind>> {
    const task = () => (from instanceof Task ? from : this.task(from));
    return new RequestPromise({
      parsed: async () => this.#retrieve(task(), options),
      raw: async () => this.#leavePoll(task(), options),
    });
  }

  /** The handle of a task that was submitted before, by its id or its receipt. */
  task(from: string | Receipt): Task<Kind> {
    if (typeof from === 'string') {
      fillPath('{id}', { id: from });
      return new Task(this, { id: from });
    }
    const { kind, v: _, ...facts } = parseReceipt(from);
    if (kind !== this.kind) {
      throw new ConfigurationError(`receipt: kind is ${kind}; use gateway.resume(receipt).`);
    }
    fillPath('{id}', { id: facts.id });
    return new Task(this, facts);
  }

  /** Waits for a task, given as a handle, an id or a receipt. */
  async wait(
    from: string | Receipt<Kind> | Task<Kind>,
    options?: WaitOptions<TaskUpdate<Kind>>,
  ): Promise<Generation<Kind>> {
    return (from instanceof Task ? from : this.task(from)).wait(options);
  }

  #send<Final>(
    submit: Submit,
    options: RequestOptions = {},
    then: (
      answer: ApiResponse<SubmittedTask<Kind>>,
    ) => Promise<ApiResponse<Final>> | ApiResponse<Final>,
  ): RequestPromise<Final> {
    const withKey = withIdempotencyKey(options);
    const { idempotencyKey } = withKey;
    const seen: Seen = {};
    return this.sender.promise(
      () => this.#submitCall(submit, idempotencyKey, seen),
      withKey,
      readJson(this.#reader(undefined, seen)),
      (answer) => then({ ...answer, data: this.#submitted(answer, idempotencyKey) }),
    );
  }

  #submitted(
    { data: latest, meta, response: { headers } }: ApiResponse<Generation<Kind>>,
    idempotencyKey: string,
  ): SubmittedTask<Kind> {
    const { baseURL, clock } = this.sender.config;
    const { poll_url, status_url } = latest.raw;
    return new SubmittedTask(this, {
      ...this.#facts(latest.id, idempotencyKey, meta),
      latest,
      pollPath: serverPollPath([headers.get('location'), poll_url, status_url], baseURL),
      retryAfterMs: parseRetryAfter(headers, clock.now()),
    });
  }

  #submitCall(
    { template, params, check, quote }: Submit,
    idempotencyKey: string,
    seen: Seen,
  ): ApiCall {
    check();
    return {
      method: 'POST',
      template,
      body: params,
      model: params.model,
      estimateUsd: quote,
      safety: 'keyed',
      paid: true,
      usesSlot: true,
      findTask: (meta) => {
        const id = meta?.taskId ?? seen.id;
        return id && meta ? new Task(this, this.#facts(id, idempotencyKey, meta)) : undefined;
      },
    };
  }

  #facts(id: string, idempotencyKey: string, meta: ResponseMeta) {
    const submittedAt = new Date(this.sender.config.clock.now()).toISOString();
    return { id, idempotencyKey, meta, chargeUsd: meta.chargeUsd, submittedAt };
  }

  #reader(known?: string, seen: Seen = {}): ResponseReader<Generation<Kind>> {
    return (body, meta) => {
      const { generation, problem, id } = parseGeneration(this.kind, body, known ?? meta.taskId);
      seen.id = id;
      return generation === undefined ? { issues: [{ message: problem }] } : { value: generation };
    };
  }

  async #retrieve(
    task: Task<Kind>,
    options?: RequestOptions,
  ): Promise<ApiResponse<Generation<Kind>>> {
    let missing: APIError | undefined;
    for (const place of this.#places(task)) {
      try {
        const answer = await this.sender.send(
          this.#pollCall(task, place),
          options,
          readJson(this.#reader(task.id)),
        );
        const { headers } = answer.response;
        task.remember(answer.data, parseRetryAfter(headers, this.sender.config.clock.now()));
        this.#found.set(task, place);
        if (place.template !== undefined)
          this.sender.shared.pollPaths.set(this.kind, place.template);
        return answer;
      } catch (error) {
        if (!isUnknownPath(error)) throw error;
        missing ??= error;
      }
    }
    throw missing;
  }

  #leavePoll(task: Task<Kind>, options?: RequestOptions): Promise<ApiResponse<undefined>> {
    return this.sender.leave(this.#pollCall(task, this.#places(task)[0]), options);
  }

  #places(task: Task<Kind>): readonly [PollPath, ...PollPath[]] {
    const found = this.#found.get(task);
    if (found !== undefined) return [found];
    return candidatePollPaths(
      task.id,
      task.pollPath,
      this.#paths,
      this.sender.shared.pollPaths.get(this.kind),
    );
  }

  #pollCall(task: Task<Kind>, { path, template = this.#paths[0] }: PollPath): ApiCall {
    return { method: 'GET', template, path, safety: 'safe', findTask: () => task };
  }
}
