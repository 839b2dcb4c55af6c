import * as z from 'zod/mini';

/** A chat completion as this gateway documents it. Assumption A8. */
export const chatCompletionRecord = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.nullable(z.string()) }),
      finish_reason: z.nullable(z.string()),
    }),
  ),
  usage: z.looseObject({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
  }),
  system_fingerprint: z.nullable(z.string()),
});
