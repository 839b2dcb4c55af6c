// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { either, listOf, oneOf, openString, paramsSchema, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { AssistantImage, AssistantMessage, AssistantToolCall, AudioPart, FilePart, ImagePart, RefusalPart, SystemMessage, TextPart, ToolMessage, UserMessage, VideoPart } from '../../types/chat/messages.ts';

export const textPart: Schema<TextPart> = paramsSchema({
  type: ["Part type.", z.literal("text")],
  text: ["Text content.", z.string()],
});

export const systemMessage: Schema<SystemMessage> = paramsSchema({
  role: ["Role of the author.", z.enum(["system","developer"])],
  content: ["The instructions, as text or as text parts.", either(z.string(), listOf(textPart))],
  name: ["Name of the author.", z.optional(z.string())],
});

const imagePartImageUrl: Schema<ImagePart['image_url']> = paramsSchema({
  url: ["URL or data URL.", z.string()],
  detail: ["Level of detail that the model processes the image with.", z.optional(openString("auto", "low", "high"))],
});

const imagePart: Schema<ImagePart> = paramsSchema({
  type: ["Part type.", z.literal("image_url")],
  image_url: ["URL or data URL of the image, and the level of detail to process it with.", imagePartImageUrl],
});

const audioPartInputAudio: Schema<AudioPart['input_audio']> = paramsSchema({
  data: ["Audio file, Base64-encoded.", z.string()],
  format: ["Format of the file.", openString("wav", "mp3")],
});

const audioPart: Schema<AudioPart> = paramsSchema({
  type: ["Part type.", z.literal("input_audio")],
  input_audio: ["Base64-encoded audio and its format.", audioPartInputAudio],
});

const videoPartVideoUrl: Schema<VideoPart['video_url']> = paramsSchema({
  url: ["URL or data URL.", z.string()],
});

const videoPart: Schema<VideoPart> = paramsSchema({
  type: ["Part type.", z.literal("video_url")],
  video_url: ["URL or data URL of the video.", videoPartVideoUrl],
});

const filePartFile: Schema<FilePart['file']> = paramsSchema({
  file_data: ["File content as a data URL.", z.optional(z.string())],
  file_id: ["Id of an uploaded file.", z.optional(z.string())],
  filename: ["File name.", z.optional(z.string())],
});

const filePart: Schema<FilePart> = paramsSchema({
  type: ["Part type.", z.literal("file")],
  file: ["File content as a data URL, or the id of an uploaded file.", filePartFile],
});

export const userMessage: Schema<UserMessage> = paramsSchema({
  role: ["Role of the author.", z.literal("user")],
  content: ["The message, as text or as content parts.", either(z.string(), listOf(oneOf("type", [textPart, imagePart, audioPart, videoPart, filePart])))],
  name: ["Name of the author.", z.optional(z.string())],
});

const refusalPart: Schema<RefusalPart> = paramsSchema({
  type: ["Part type.", z.literal("refusal")],
  refusal: ["Refusal message.", z.string()],
});

const assistantToolCallFunction: Schema<AssistantToolCall['function']> = recordSchema({
  name: ["Name of the function.", z.string()],
  arguments: ["Arguments as a JSON string.", z.string()],
});

const assistantToolCall: Schema<AssistantToolCall> = recordSchema({
  id: ["Tool call id. The message with the result has the same `tool_call_id`.", z.string()],
  type: ["Type of tool.", z.literal("function")],
  function: ["Function name, and its arguments as a JSON string.", assistantToolCallFunction],
});

const assistantMessageAudio: Schema<NonNullable<AssistantMessage['audio']>> = recordSchema({
  id: ["Id of the audio response.", z.string()],
});

const assistantImageImageUrl: Schema<AssistantImage['image_url']> = recordSchema({
  url: ["URL or data URL.", z.string()],
});

const assistantImage: Schema<AssistantImage> = recordSchema({
  type: ["Type of image reference.", z.optional(z.literal("image_url"))],
  image_url: ["URL or data URL of the image.", assistantImageImageUrl],
  index: ["Position among the images of the message.", z.optional(z.number())],
});

export const assistantMessage: Schema<AssistantMessage> = recordSchema({
  role: ["Role of the author.", z.literal("assistant")],
  content: ["The message, as text or as content parts. Null or absent if it contains only tool calls or a refusal.", z.nullish(either(z.string(), listOf(oneOf("type", [textPart, imagePart, audioPart, videoPart, filePart, refusalPart]))))],
  name: ["Name of the author.", z.optional(z.string())],
  refusal: ["Refusal message, if the model refused the request.", z.nullish(z.string())],
  reasoning_content: ["Reasoning text. Some models require it back while they call tools.", z.nullish(z.string())],
  reasoning: ["Reasoning text, under the name that some models use.", z.nullish(z.string())],
  tool_calls: ["Function calls requested by the model.", z.nullish(listOf(assistantToolCall))],
  audio: ["Id of an earlier audio response of the model.", z.nullish(assistantMessageAudio)],
  images: ["Images that the model generated.", z.nullish(listOf(assistantImage))],
});

export const toolMessage: Schema<ToolMessage> = paramsSchema({
  role: ["Role of the author.", z.literal("tool")],
  content: ["Result of the call, as text or as text parts.", either(z.string(), listOf(textPart))],
  tool_call_id: ["Id of the tool call that this message responds to.", z.string()],
});
