import type { ChatSubmission, Polygate, Submission } from 'polygate';

import { messagesOf } from '../chat/messages.ts';
import type { PlannedRow } from './table/plan.ts';

/** The submission of a row. */
export function submissionOf(
  gateway: Polygate,
  { kind, model, prompt, system, params }: PlannedRow,
): Submission | ChatSubmission {
  const options = { extraBody: { ...params } };
  switch (kind) {
    case 'image':
      return gateway.images.submission({ model, prompt }, options);
    case 'video':
      return gateway.videos.submission({ model, prompt }, options);
    case 'music':
      return gateway.audio.music.submission({ model, prompt }, options);
    case 'speech':
      return gateway.audio.speech.submission({ model, text: prompt }, options);
    case 'chat':
      return gateway.chat.completions.submission(
        { model, messages: messagesOf({ prompt, system }) },
        options,
      );
  }
}
