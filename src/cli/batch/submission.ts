import type { Polygate, Submission } from 'polygate';

import type { PlannedRow } from './table/plan.ts';

/** The submission of a row. */
export function submissionOf(
  gateway: Polygate,
  { kind, model, prompt, params }: PlannedRow,
): Submission {
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
      throw new Error('not yet');
  }
}
