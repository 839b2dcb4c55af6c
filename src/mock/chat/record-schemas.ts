import * as z from 'zod/mini';

import { chatCompletion, chatCompletionChunk, usage } from '../../wire/schemas/chat/completion.ts';
import { accepted } from '../../wire/schemas/params.ts';

/** The fields that this gateway always sends, and one whose type the interface leaves open. */
const changes = {
  system_fingerprint: z.nullable(z.string()),
  logprobs: z.nullish(z.looseObject({})),
};

/** A completion as this gateway sends it: with usage. Assumption A8. */
export const chatCompletionRecord = accepted(chatCompletion, { ...changes, usage });

/** One chunk of a streamed completion. Assumption A8. */
export const chatCompletionChunkRecord = accepted(chatCompletionChunk, changes);
