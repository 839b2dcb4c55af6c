import type { LanguageModelV4Content, LanguageModelV4FinishReason } from '@ai-sdk/provider';

import { executableArguments, isExecutable } from '../../internal/tool-calls.ts';

/**
 * The content of a response without tool calls that were cut off: the AI SDK would execute them with the defaults of their
 * schema. `providerMetadata.polygate.cutOffToolCalls` has their number. The input of all others is an object.
 */
export function checkedCalls<Content extends LanguageModelV4Content>(
  content: readonly Content[],
  { raw, unified }: LanguageModelV4FinishReason,
): { content: Content[]; metadata: Record<string, number> } {
  const calls = content.map((part) => (part.type === 'tool-call' ? part.input : '{}'));
  const mayExecute = isExecutable(raw ?? unified, calls);
  const checked = content
    .filter(({ type }) => mayExecute || type !== 'tool-call')
    .map((part) =>
      part.type === 'tool-call' ? { ...part, input: executableArguments(part.input) } : part,
    );
  const count = content.length - checked.length;
  return { content: checked, metadata: count > 0 ? { cutOffToolCalls: count } : {} };
}
