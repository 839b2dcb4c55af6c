import * as z from 'zod/mini';

import type { ChatBody } from '../../types/chat/params.ts';
import { bodySchema, openString } from '../record-schema.ts';

export const chatBody = bodySchema<ChatBody>({
  model: z.string(),
  messages: z.array(
    z.looseObject({ role: openString<string>(), content: z.optional(z.unknown()) }),
  ),
  stream: z.nullish(z.boolean()),
  stream_options: z.nullish(z.looseObject({ include_usage: z.optional(z.boolean()) })),
  extra_body: z.optional(
    z.looseObject({
      image_config: z.optional(z.looseObject({ aspect_ratio: z.optional(z.string()) })),
    }),
  ),
  n: z.nullish(z.int()),
});
