import { ConfigurationError } from '../../../errors/configuration.ts';
import { ConnectionError } from '../../../errors/connection.ts';
import type { ChatCompletion } from '../../../types/chat/completion.ts';
import type { ResponseMeta } from '../../../types/meta.ts';
import type { ChatSubmission } from '../../chat/chat-submission.ts';
import { emptyMeta } from '../../http/response-meta.ts';
import { requestHash } from '../../tasks/fingerprint.ts';
import { toCostFields } from '../journal/line.ts';
import type { Intent } from '../journal/line.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { BatchContext } from '../run/context.ts';
import { changedParamsError, rowKey } from './charge-rules.ts';
import type { RowPlan } from './row-plan.ts';
import type { BatchItem } from './row.ts';

/** A completion, and the metadata of its response. */
interface Completed {
  readonly completion: ChatCompletion;
  readonly meta: ResponseMeta;
}

/** How to continue the row of a chat: with its completion, or with a submission. */
interface ChatStart {
  readonly completion?: ChatCompletion | undefined;
  /** Without one, the completion is not checked. */
  readonly submission?: ChatSubmission<unknown> | undefined;
  readonly path: string;
  readonly intent?: Intent | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The plan for the row of a chat. */
export function chatPlan({
  completion,
  submission,
  path,
  intent,
  signal,
}: ChatStart): RowPlan<Completed> {
  return {
    accepted: completion && { completion, meta: emptyMeta(200) },
    submission: submission && {
      models: [submission.model],
      hasPrice: false,
      estimateUsd: () => undefined,
      send: async (options, observer) => {
        const { data, meta } = await submission.sendUnparsed(options, observer).withResponse();
        return { completion: data, meta };
      },
    },
    path,
    intent,
    signal,
    isReplayed: false,
    chargeOf: ({ meta }) => meta.chargeUsd,
    toLine: ({ id, cost }, accepted) => ({
      type: 'completed',
      id,
      completion: accepted.completion,
      ...toCostFields(cost),
    }),
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
 * @throws {@link ConfigurationError} when the submission is invalid, or differs from one that may have been charged.
 * @throws {@link ConnectionError} when an earlier run may have been charged for the row and has no completion.
 */
export async function planChat(
  { id, history }: BatchItem,
  submission: ChatSubmission<unknown>,
  { journal, resendUnknown, config }: BatchContext,
  { runId, storeParams }: { runId: string; storeParams: boolean },
): Promise<RowPlan<Completed>> {
  const { idempotencyKey, signal, path, body, params, fallback } = submission.details(storeParams);
  const hash = await requestHash(path, body, fallback);
  // Without a readable `submit` line, the completion is all that is known.
  const hasChanged = history.hash !== undefined && history.hash !== hash;
  if (mayBeCharged(history) && hasChanged) throw changedParamsError(id);
  if (history.completedAt !== undefined) {
    const completion = await journal.completionAt(history.completedAt);
    return chatPlan({ completion, submission, path, signal });
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
  return chatPlan({ submission, path, signal, intent });
}

/** The error of a chat that an earlier run sent and that has no completion. */
export function lostChatError(id: string): ConnectionError {
  return new ConnectionError(
    `row ${id}: An earlier run sent this chat, and its completion is not in the journal, so it may have been charged. ` +
      'It was not sent again. With resendUnknown, it is, and you may pay for it a second time.',
    { outcome: 'unknown' },
  );
}

function damagedJournalError(id: string): ConfigurationError {
  return new ConfigurationError(
    `row ${id}: A damaged line of the journal could be about this chat, which may have been charged. It was not sent. ` +
      'Restore the journal from a backup. With resendUnknown, it is sent, and you may pay for it a second time.',
    { outcome: 'unknown' },
  );
}
