/**
 * Converts the messages of a chat to the schema of the GenAI semantic conventions, as JSON. Fields with an unexpected
 * type are left out; parts of an unknown type are kept as they are.
 */
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';

type Part = Readonly<Record<string, unknown>>;

/** `gen_ai.input.messages`: the messages of a request body. Undefined if there are none. */
export function inputMessages(body: string | Uint8Array | undefined): string | undefined {
  return toJson(listOf(fieldsOf(parseJson(body)).messages).map((message) => toMessage(message)));
}

/** `gen_ai.output.messages`: one message for each choice of a completion. Undefined if there are none. */
export function outputMessages(completion: unknown): string | undefined {
  const choices = listOf(fieldsOf(completion).choices).map((choice) => fieldsOf(choice));
  return toJson(
    choices.map(({ message, finish_reason }) => ({ ...toMessage(message), finish_reason })),
  );
}

function toJson(messages: readonly object[]): string | undefined {
  try {
    return messages.length === 0 ? undefined : JSON.stringify(messages);
  } catch {
    // Some JSON that can be parsed is nested too deeply to be serialized.
    return undefined;
  }
}

function toMessage(message: unknown) {
  const { role = 'assistant', name, content, tool_call_id: id, ...fields } = fieldsOf(message);
  if (role === 'tool')
    return { role, parts: [{ type: 'tool_call_response', id, response: content }] };
  const { reasoning_content: reasoningContent, reasoning, refusal, audio } = fields;
  const parts = [
    ...textParts('reasoning', isNonEmptyString(reasoningContent) ? reasoningContent : reasoning),
    ...textParts('text', content),
    ...listOf(content).flatMap((part) => contentParts(fieldsOf(part))),
    ...textParts('refusal', refusal),
    ...listOf(fields.images).flatMap((image) => mediaParts('image', fieldsOf(image).image_url)),
    ...(isRecord(audio) ? audioParts(audio) : []),
    ...listOf(fields.tool_calls).map((call) => toolCallPart(fieldsOf(call))),
  ];
  return { role, name, parts };
}

const textParts = (type: string, content: unknown): Part[] =>
  isNonEmptyString(content) ? [{ type, content }] : [];

function contentParts(part: Part): Part[] {
  switch (part.type) {
    case 'text':
      return textParts('text', part.text);
    case 'refusal':
      return textParts('refusal', part.refusal);
    case 'image_url':
      return mediaParts('image', part.image_url);
    case 'video_url':
      return mediaParts('video', part.video_url);
    case 'input_audio':
      return audioParts(fieldsOf(part.input_audio));
    case 'file': {
      const { file_id: fileId, file_data: url } = fieldsOf(part.file);
      return [...fileParts('document', fileId), ...mediaParts('document', { url })];
    }
    default:
      return isNonEmptyString(part.type) ? [part] : [];
  }
}

const fileParts = (modality: string, fileId: unknown): Part[] =>
  isNonEmptyString(fileId) ? [{ type: 'file', modality, file_id: fileId }] : [];

/** The media at a URL, or in a data URL. */
function mediaParts(modality: string, media: unknown): Part[] {
  const { url } = fieldsOf(media);
  if (!isNonEmptyString(url)) return [];
  if (!url.startsWith('data:')) return [{ type: 'uri', modality, uri: url }];
  const comma = url.indexOf(',');
  const [mediaType] = url.slice('data:'.length, comma).split(';');
  return [{ type: 'blob', modality, mime_type: mediaType, content: url.slice(comma + 1) }];
}

/** Audio of the user, or of the model. The latter can be only an id. */
function audioParts({ data, format, id, transcript }: Part): Part[] {
  if (!isNonEmptyString(data)) return fileParts('audio', id);
  const subtype = format === 'mp3' ? 'mpeg' : format;
  const mediaType = isNonEmptyString(subtype) ? `audio/${subtype}` : undefined;
  return [{ type: 'blob', modality: 'audio', mime_type: mediaType, content: data, transcript }];
}

function toolCallPart({ id, function: called }: Part): Part {
  const { name, arguments: input } = fieldsOf(called);
  return { type: 'tool_call', id, name, arguments: parseJson(input) };
}

/** The fields of an object whose type is not known; none if it is something else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};

/** The elements of an array whose type is not known; none if it is something else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Parses text or bytes as JSON. Returns anything else unchanged, including text that is not JSON. */
export function parseJson(value: unknown): unknown {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}
