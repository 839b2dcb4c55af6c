import { isRecord, textOf } from '../../wire/types/type-guards.ts';

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
