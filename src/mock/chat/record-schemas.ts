import * as z from 'zod/mini';

const maybeText = z.nullish(z.string());

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

const head = {
  id: z.string(),
  created: z.number(),
  model: z.string(),
  system_fingerprint: z.nullable(z.string()),
};

const outcome = {
  index: z.number(),
  logprobs: z.nullish(z.looseObject({})),
  finish_reason: z.nullable(z.string()),
};

const said = {
  refusal: maybeText,
  reasoning_content: maybeText,
  images: z.optional(z.array(image)),
};

/** A chat completion as this gateway documents it. Assumption A8. */
export const chatCompletionRecord = z.looseObject({
  ...head,
  object: z.literal('chat.completion'),
  choices: z.array(
    z.looseObject({
      ...outcome,
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.nullable(z.string()),
        ...said,
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

/** One event of a streamed completion as this gateway documents it. Assumption A8. */
export const chatChunkRecord = z.looseObject({
  ...head,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.looseObject({
      ...outcome,
      delta: z.looseObject({
        role: z.optional(z.literal('assistant')),
        content: maybeText,
        ...said,
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
