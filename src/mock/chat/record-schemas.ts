import * as z from 'zod/mini';

const optionalText = z.nullish(z.string());

const image = z.looseObject({
  type: z.optional(z.literal('image_url')),
  image_url: z.looseObject({ url: z.string() }),
  index: z.optional(z.number()),
});

const usage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.nullish(z.looseObject({ cached_tokens: z.optional(z.number()) })),
  completion_tokens_details: z.nullish(z.looseObject({ reasoning_tokens: z.optional(z.number()) })),
});

const base = {
  id: z.string(),
  created: z.number(),
  model: z.string(),
  system_fingerprint: z.nullable(z.string()),
};

const choiceFields = {
  index: z.number(),
  logprobs: z.nullish(z.looseObject({})),
  finish_reason: z.nullable(z.string()),
};

const messageFields = {
  refusal: optionalText,
  reasoning_content: optionalText,
  images: z.optional(z.array(image)),
};

/** The assumed record of a chat completion. Assumption A8. */
export const chatCompletionRecord = z.looseObject({
  ...base,
  object: z.literal('chat.completion'),
  choices: z.array(
    z.looseObject({
      ...choiceFields,
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.nullable(z.string()),
        ...messageFields,
        tool_calls: z.optional(
          z.array(
            z.looseObject({
              id: z.string(),
              type: z.literal('function'),
              function: z.looseObject({ name: z.string(), arguments: z.string() }),
            }),
          ),
        ),
      }),
    }),
  ),
  usage,
});

/** The assumed record of one chunk of a streamed completion. Assumption A8. */
export const chatCompletionChunkRecord = z.looseObject({
  ...base,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.looseObject({
      ...choiceFields,
      delta: z.looseObject({
        role: z.optional(z.literal('assistant')),
        content: optionalText,
        ...messageFields,
        tool_calls: z.optional(
          z.array(
            z.looseObject({
              index: z.number(),
              id: z.optional(z.string()),
              type: z.optional(z.literal('function')),
              function: z.optional(
                z.looseObject({
                  name: z.optional(z.string()),
                  arguments: z.optional(z.string()),
                }),
              ),
            }),
          ),
        ),
      }),
    }),
  ),
  usage: z.nullish(usage),
});
