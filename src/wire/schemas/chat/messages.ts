import type { ChatMessage } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/chat.ts';
import { either, listOf, oneOf, openString, paramsSchema, recordSchema } from '../record-schema.ts';

const name = z.optional(z.string());
const optionalText = z.nullish(z.string());

const textPart = paramsSchema(docs.textPart, { type: z.literal('text'), text: z.string() });

const contentParts = [
  textPart,
  paramsSchema(docs.imagePart, {
    type: z.literal('image_url'),
    image_url: paramsSchema(docs.imagePartImageUrl, {
      url: z.string(),
      detail: z.optional(openString('auto', 'low', 'high')),
    }),
  }),
  paramsSchema(docs.audioPart, {
    type: z.literal('input_audio'),
    input_audio: paramsSchema(docs.audioPartInputAudio, {
      data: z.string(),
      format: openString('wav', 'mp3'),
    }),
  }),
  paramsSchema(docs.videoPart, {
    type: z.literal('video_url'),
    video_url: paramsSchema(docs.videoPartVideoUrl, { url: z.string() }),
  }),
  paramsSchema(docs.filePart, {
    type: z.literal('file'),
    file: paramsSchema(docs.filePartFile, { file_data: name, file_id: name, filename: name }),
  }),
] as const;

const refusalPart = paramsSchema(docs.refusalPart, {
  type: z.literal('refusal'),
  refusal: z.string(),
});

export const texts = either(z.string(), listOf(textPart));

/** One message of a conversation. A message from a model keeps its unknown fields, because it is passed back as is. */
export const message: z.ZodMiniType<ChatMessage, ChatMessage> = oneOf('role', [
  paramsSchema(docs.systemMessage, { role: z.enum(['system', 'developer']), content: texts, name }),
  paramsSchema(docs.userMessage, {
    role: z.literal('user'),
    content: either(z.string(), listOf(oneOf('type', contentParts))),
    name,
  }),
  recordSchema(docs.assistantMessage, {
    role: z.literal('assistant'),
    content: z.nullish(either(z.string(), listOf(oneOf('type', [...contentParts, refusalPart])))),
    name,
    refusal: optionalText,
    reasoning_content: optionalText,
    reasoning: optionalText,
    tool_calls: z.nullish(
      listOf(
        recordSchema(docs.assistantToolCall, {
          id: z.string(),
          type: z.literal('function'),
          function: recordSchema(docs.assistantToolCallFunction, {
            name: z.string(),
            arguments: z.string(),
          }),
        }),
      ),
    ),
    audio: z.nullish(recordSchema(docs.assistantMessageAudio, { id: z.string() })),
    images: z.nullish(
      listOf(
        recordSchema(docs.assistantImage, {
          type: z.optional(z.literal('image_url')),
          image_url: recordSchema(docs.assistantImageImageUrl, { url: z.string() }),
          index: z.optional(z.number()),
        }),
      ),
    ),
  }),
  paramsSchema(docs.toolMessage, {
    role: z.literal('tool'),
    content: texts,
    tool_call_id: z.string(),
  }),
]);
