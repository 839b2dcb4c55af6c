import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';
import { stringify } from '../http/json.ts';

/** The text of a message's content, which some models return as parts. Empty if there is none. */
export function contentText(content: unknown): string {
  return Array.isArray(content) ? content.map(partText).join('') : partText(content);
}

/** Parts of other types, such as reasoning, may have a text that is not part of the message. */
function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part) || typeof part.text !== 'string') return '';
  return /^(output_)?text$/.test(textOf(part.type) ?? 'text') ? part.text : '';
}

const dataURL = /data:image\/[\w.+-]+;base64,[\w+/=-]+/gi;

/**
 * Returns the images in a chat completion: the `images` of its messages, and the data URLs and image parts in their
 * content.
 */
export function extractImages({ choices }: Pick<ChatCompletion, 'choices'>): { url: string }[] {
  const urls = choices.flatMap(({ message }) => [
    ...[message?.images, message?.content].flat().flatMap(imageURL),
    ...(stringify(message?.content).match(dataURL) ?? []),
  ]);
  return [...new Set(urls)].map((url) => ({ url }));
}

/** The URL of an image, which is an object or the URL itself. Empty for any other part. */
function imageURL(part: unknown): string | [] {
  const { image_url: image } = isRecord(part) ? part : {};
  return textOf(isRecord(image) ? image.url : image) ?? [];
}
