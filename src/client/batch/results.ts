import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { CompletionOf } from '../../wire/types/chat/output.ts';
import type { SucceededGeneration, TaskKind } from '../../wire/types/tasks/task.ts';
import type { ChatSubmission } from '../chat/chat-submission.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';

/** The result of a row that submits a task. */
export type BatchResult<Kind extends TaskKind = TaskKind> = {
  /** Id of the row; empty for a damaged line of the journal. */
  readonly id: string;
  /** Idempotency key of the row's submit. */
  readonly idempotencyKey?: string | undefined;
  /** Task of the row, once its submission was accepted. */
  readonly task?: Task<Kind> | undefined;
  /** Only rows of chats have a completion. */
  readonly completion?: undefined;
} & (
  | {
      readonly status: 'succeeded';
      /** The finished generation. */
      readonly generation: SucceededGeneration<Kind>;
      readonly error?: undefined;
    }
  | {
      /**
       * `failed`: the task failed, or nothing was charged. In the latter case, the next run submits the row again. A row
       * that only a 402 or a budget kept from being submitted is not yielded.
       * `unknown`: the task is still processing, or it is not known whether there is one. To resolve it, run the same
       * batch with the same journal again: it resends the request with the same key, so that the row is not paid for twice.
       */
      readonly status: 'failed' | 'unknown';
      readonly generation?: undefined;
      /** Why the row has no generation. */
      readonly error: Error;
    }
);

/** The result of a row that sends a chat. `Output` is that of the schema of its submission, if it has one. */
export type ChatResult<Output = never> = {
  /** Id of the row. */
  readonly id: string;
  /** The idempotency key that the request carried, if any. */
  readonly idempotencyKey?: string | undefined;
  /** Only rows of tasks have a task. */
  readonly task?: undefined;
  /** Only rows of tasks have a generation. */
  readonly generation?: undefined;
} & (
  | ({
      readonly status: 'succeeded';
      /** The completion. */
      readonly completion: CompletionOf<Output>;
      readonly error?: undefined;
    } & ([Output] extends [never]
      ? { readonly parsed?: undefined }
      : {
          /** Validated content of the first choice: the output of the schema. */
          readonly parsed: Output;
        }))
  | {
      /**
       * `failed`: nothing was charged, and the next run sends the row again; or the completion does not match the schema of
       * the submission, and the row has its `completion`. A row that only a 402 or a budget kept from being sent is not
       * yielded.
       * `unknown`: the request may have been charged, and there is no completion. Later runs do not send it again, unless
       * `resendUnknown` is set.
       */
      readonly status: 'failed' | 'unknown';
      /** The completion that does not match the schema. */
      readonly completion?: ChatCompletion | undefined;
      readonly parsed?: undefined;
      /** Why the row has no valid completion. */
      readonly error: Error;
    }
);

/** The result of a row of `gateway.recover`. */
export type RecoveredRow = BatchResult | ChatResult;

/** The result of a row of `gateway.batch` that submits a task. */
export type BatchRow<Input, Kind extends TaskKind = TaskKind> = BatchResult<Kind> & {
  /** The row as passed to the batch. */
  readonly input: Input;
};

/** The result of a row of `gateway.batch` that sends a chat. `Output` is that of its schema, if it has one. */
export type ChatRow<Input, Output = never> = ChatResult<Output> & {
  /** The row as passed to the batch. */
  readonly input: Input;
};

/** The submission of any row. */
export type AnySubmission = Submission | ChatSubmission<unknown>;

/**
 * The result of a row of `gateway.batch`, by what `describe` returns.
 *
 * - {@link Submission} of a kind, such as `Submission<'image'>`: {@link BatchRow} of this kind.
 * - One of several submissions of tasks: one {@link BatchRow} of all their kinds, rather than a union of rows.
 * - {@link ChatSubmission} of an output: {@link ChatRow} of this output.
 * - A submission of a task or a chat: the union of both rows.
 * - `never`, because it always throws: {@link BatchRow} of any kind.
 */
export type RowOf<Input, Described> = [Described] extends [never]
  ? BatchRow<Input>
  :
      | ([Extract<Described, Submission>] extends [never]
          ? never
          : BatchRow<Input, Extract<Described, Submission>['kind']>)
      | (Described extends ChatSubmission<infer Output> ? ChatRow<Input, Output> : never);

/** The part of a result that depends on how the row ended. */
export type RowOutcome =
  | {
      readonly status: 'succeeded';
      readonly generation?: SucceededGeneration | undefined;
      readonly completion?: ChatCompletion | undefined;
      readonly parsed?: unknown;
      readonly error?: undefined;
    }
  | {
      readonly status: 'failed' | 'unknown';
      readonly generation?: undefined;
      readonly completion?: ChatCompletion | undefined;
      readonly parsed?: undefined;
      readonly error: Error;
    };

/** The result of any row. */
export type RowResult = RowOutcome & {
  readonly id: string;
  readonly idempotencyKey?: string | undefined;
  readonly task?: Task | undefined;
  /** The row as passed to a batch. */
  readonly input?: unknown;
};
