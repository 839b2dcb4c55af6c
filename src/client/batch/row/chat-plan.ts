import type { ChatCompletion } from '../../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../../wire/types/meta.ts';
import type { ChatSubmission } from '../../chat/chat-submission.ts';
import { emptyMeta } from '../../http/response-meta.ts';
import { requestHash } from '../../tasks/submission.ts';
import type { Intent } from '../journal/line.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import { changedParamsError, damagedJournalError, lostChatError } from '../row-errors.ts';
import type { RowContext } from '../run/context.ts';
import { rowKey } from './row-key.ts';
import type { RowPlan, RowStart, RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';

/** A completion, and the metadata of its response. */
interface Completed {
  readonly completion: ChatCompletion;
  readonly meta: ResponseMeta;
}

/** What the plan for the row of a chat is made of. */
interface ChatRow {
  readonly start: RowStart<Completed>;
  /** Checks the completion. Without it, the completion is the result as it is. */
  readonly submission?: ChatSubmission<unknown> | undefined;
  /** The signal of the submission, as its caller passed it. */
  readonly signal?: AbortSignal | undefined;
}

/** The completion that an earlier run has received. Nothing needs its metadata again. */
export function receivedEarlier(completion: ChatCompletion): RowStart<Completed> {
  return { accepted: { completion, meta: emptyMeta(200) } };
}

/** The submission of a chat, as a row sends it. */
export function chatSubmission(
  submission: ChatSubmission<unknown>,
  intent: Intent,
): RowSubmission<Completed> {
  return {
    models: [submission.model],
    hasPrice: false,
    estimateUsd: () => undefined,
    intent,
    send: async (options, observer) => {
      const { data, meta } = await submission.sendUnparsed(options, observer).withResponse();
      return { completion: data, meta };
    },
  };
}

/** The plan for the row of a chat. */
export function chatPlan({ start, submission, signal }: ChatRow): RowPlan<Completed> {
  return {
    start,
    signal,
    isChargedOnce: false,
    chargeOf: ({ meta }) => ({ chargeUsd: meta.chargeUsd, isReplay: meta.idempotentReplay }),
    taskOf: () => undefined,
    toLine: (id, { completion }, cost) => ({ type: 'completed', id, completion, ...cost }),
    finish: async ({ completion: received, meta }) => {
      try {
        const checked = await (submission?.parse(received, meta) ?? received);
        const parsed = 'parsed' in checked ? { parsed: checked.parsed } : {};
        return { status: 'succeeded', completion: checked, ...parsed };
      } catch (thrown) {
        // It was paid for, and another one would not be the same.
        const error =
          thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
        return { status: 'failed', completion: received, error };
      }
    },
  };
}

/**
 * Plans a row of a batch. Nothing is written or sent.
 *
 * @throws `ConfigurationError` when the submission is invalid, or differs from one that may have been charged.
 * @throws `ConnectionError` when an earlier run may have been charged for the row and has no completion.
 */
export async function planChat(
  { id, history }: Row,
  submission: ChatSubmission<unknown>,
  { journal, resendUnknown, config }: RowContext,
  { runId, storeParams }: { runId: string; storeParams: boolean },
): Promise<RowPlan<Completed>> {
  const details = await submission.details(storeParams);
  const { idempotencyKey, signal, path, body, params, fallback } = details;
  const hash = await requestHash(path, body, fallback);
  // Without a readable `submit` line, the completion is all that is known.
  const hasChanged = history.hash !== undefined && history.hash !== hash;
  if (mayBeCharged(history) && hasChanged) throw changedParamsError(id);
  if (history.completedAt !== undefined) {
    const completion = await journal.completionAt(history.completedAt);
    return chatPlan({ start: receivedEarlier(completion), submission, signal });
  }
  if (!resendUnknown) {
    if (mayBeCharged(history)) throw lostChatError(id);
    if (journal.isIncompleteFor(history)) throw damagedJournalError(id);
  }
  // Only a request that the service replays carries a derived key.
  const derived = config.retryAmbiguous.chat ? await rowKey(runId, id, hash) : undefined;
  const key = idempotencyKey ?? derived;
  const stored = params && fallback.length > 0 ? fallback : undefined;
  const intent = { key, path, hash, params, fallback: stored };
  const start = { submission: chatSubmission(submission, intent) };
  return chatPlan({ start, submission, signal });
}
