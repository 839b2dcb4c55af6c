import type { ChatCompletion } from 'polygate';

import { finishMeaning } from '../../../wire/types/chat/finish-reason.ts';

/** Why a response that the service has completed does not contain the whole text. */
export type CutReason = 'length' | 'content_filter';

/** Returns why the text of a completion was cut off; undefined if it was not. */
export function cutReason({ choices }: Pick<ChatCompletion, 'choices'>): CutReason | undefined {
  const reasons = choices.map(({ finish_reason }) => finishMeaning(finish_reason));
  if (reasons.includes('length')) return 'length';
  return reasons.includes('content_filter') ? 'content_filter' : undefined;
}

/** Explains why a text was cut off. */
export const cutText: Readonly<Record<CutReason, string>> = {
  length: 'at the token limit (finish_reason: length); --param max_tokens=<n> sets it',
  content_filter: 'by a content filter (finish_reason: content_filter)',
};
