import type { CallToolResult } from '@modelcontextprotocol/server';
import { ConfigurationError, TaskFailedError, TaskWaitTimeoutError } from 'polygate';
import type { SucceededGeneration, Task } from 'polygate';

import { CommandLog } from '../cli/run-command.ts';
import type { GenerationKind } from '../cli/task-store.ts';
import { pending, within, withinFree } from './call.ts';
import type { Call } from './call.ts';
import {
  continueTask,
  repeatCall,
  errorReply,
  pendingReply,
  priceLine,
  reply,
  resultReply,
} from './replies.ts';
import { keyOf, outputOf } from './session.ts';
import type { Results } from './session.ts';
import type { OpenTask, Services, Submissions } from './submissions.ts';
import { parseGeneration } from './tool-schemas.ts';

/** The tools that submit tasks and return their results. */
export class Generations {
  readonly #services: Services;
  readonly #submissions: Submissions;
  readonly #results: Results;

  constructor(services: Services, submissions: Submissions, results: Results) {
    this.#services = services;
    this.#submissions = submissions;
    this.#results = results;
  }

  /** Generates something, or returns what an earlier call with the same arguments has generated. */
  async generate(kind: GenerationKind, args: unknown, call: Call): Promise<CallToolResult> {
    const { session, clean } = this.#services;
    const tool = `generate_${kind}`;
    const log = new CommandLog({ command: tool, isPaid: true });
    try {
      const { model, body, again } = parseGeneration(kind, args);
      const idempotencyKey = keyOf(session, { tool, body, again });
      const field = kind === 'speech' ? 'text' : 'prompt';
      const { model: _, [field]: prompt, ...params } = body;
      const request = {
        kind,
        model,
        prompt: typeof prompt === 'string' && prompt !== '' ? prompt : undefined,
        params,
      };
      const output = outputOf(session, kind, idempotencyKey);
      call.report('submitting');
      const order = { tool, request, body, idempotencyKey, output };
      const opened = await within(call, this.#submissions.open(order, call));
      if (opened !== pending) return await this.#finish(opened, call, log);
      return reply(
        [
          'The request is still being sent, and may be charged.',
          `To continue: ${repeatCall}. It returns the same task, without a second charge.`,
        ],
        clean,
      );
    } catch (error) {
      return errorReply(error, log.context, { clean });
    }
  }

  /** Waits for a task that was submitted before. */
  async get(id: string, call: Call): Promise<CallToolResult> {
    const { clean } = this.#services;
    const log = new CommandLog({ command: 'get_task', isPaid: true });
    try {
      const opened = this.#submissions.find(id);
      if (opened === undefined) {
        log.note({ next: 'call list_tasks, which lists the tasks with their ids' });
        throw new ConfigurationError(
          `There is no task ${id} that was submitted on this machine with this API key.`,
        );
      }
      return await this.#finish(opened, call, log);
    } catch (error) {
      return errorReply(error, log.context, { clean });
    }
  }

  /** Waits for a task and saves its results. */
  async #finish(opened: OpenTask, call: Call, log: CommandLog): Promise<CallToolResult> {
    const { budget, clean } = this.#services;
    const { task, stored, chargeUsd } = opened;
    const { idempotencyKey } = stored.entry;
    const next = continueTask(task.id, clean);
    log.note({ sent: 'accepted', idempotencyKey, chargeUsd, next });
    const lines = earlierLines(opened);
    let generation: SucceededGeneration | undefined;
    try {
      generation = await wait(task, call);
    } catch (error) {
      if (!TaskFailedError.is(error)) throw error;
      await this.#failed(opened, call, log);
      lines.push(`Budget: ${budget.text}`);
      return errorReply(error, log.context, { clean, lines });
    }
    lines.unshift(priceLine(chargeUsd));
    if (generation === undefined) return pendingReply(task, { clean, lines });
    call.report('saving the result', 99);
    const files = await within(call, this.#results.save(stored.entry, generation));
    if (files === pending) return pendingReply(task, { clean, lines });
    stored.end(task, 'succeeded');
    lines.push(`Budget: ${budget.text}`);
    return await resultReply(task, generation, files, { clean, lines, call });
  }

  /** Records a failed task, and what that means for the budget. */
  async #failed(opened: OpenTask, call: Call, log: CommandLog): Promise<void> {
    const { refunds } = this.#services;
    const { stored, task } = opened;
    const { idempotencyKey, kind } = stored.entry;
    stored.end(task, 'failed');
    await within(call, refunds.addFailure(idempotencyKey, task.chargeUsd));
    log.note({
      refund: refunds.textFor(idempotencyKey),
      next: `to pay for another attempt, call generate_${kind} with a new value of the argument again; the same arguments return this failed task`,
    });
  }
}

/** What a reply says about earlier calls with the same arguments. */
function earlierLines({ isEarlier, unrecognizedSince }: OpenTask): string[] {
  if (isEarlier) return ['An earlier call has paid for it.'];
  if (unrecognizedSince === undefined) return [];
  return [
    `An earlier call sent the same request at ${unrecognizedSince}, and its response was lost. The service has not recognized the repetition, so this call was charged. If the earlier one was charged, too, it was paid for twice: check the charges of the account.`,
  ];
}

/** Whether the result is known already, such as from the response to the submission. */
const hasEnded = ({ latest }: Task) =>
  latest?.status === 'succeeded' || latest?.status === 'failed';

/** Waits until a task ends or the call must return. Polls at least once, unless the task has ended. */
async function wait(task: Task, call: Call): Promise<SucceededGeneration | undefined> {
  const { remainingMs, report } = call;
  report(`task ${task.id}: ${task.latest?.status ?? 'submitted'}`, task.latest?.progress);
  const result = await withinFree(call, async (signal) => {
    try {
      if (remainingMs() < 500 && !hasEnded(task)) {
        const { status } = await task.retrieve({ signal });
        if (status === 'queued' || status === 'running') return undefined;
      }
      return await task.wait({
        signal,
        waitTimeout: Math.max(remainingMs(), 500),
        onUpdate: ({ status, progress, pollError }) => {
          const problem = pollError === undefined ? '' : ', poll failed, retrying';
          report(`task ${task.id}: ${status}${problem}`, progress);
        },
      });
    } catch (error) {
      // The client no longer waits for the reply.
      if (TaskWaitTimeoutError.is(error) || signal.aborted) return undefined;
      throw error;
    }
  });
  return result === pending ? undefined : result;
}
