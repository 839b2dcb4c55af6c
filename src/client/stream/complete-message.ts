import type { ChatCompletion, ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';

/**
 * The choices of a stream that sends messages, or texts, in place of deltas. They are used where no delta came: some
 * services repeat the complete message in the last chunk.
 */
export class CompleteMessages {
  /** The choices whose content came in messages. Later messages continue them. */
  readonly #indexes = new Set<number>();

  /** Adds the deltas that `parseChunk` has left out. `readPartial` returns what the chunks before have added up to. */
  addDeltas({ choices }: ChatCompletionChunk, readPartial: () => ChatCompletion | undefined): void {
    for (const choice of choices) {
      if (choice.delta !== undefined) continue;
      const { index, message, text, finish_reason: reason } = choice;
      const fields = Object.entries(isRecord(message) ? message : { content: text });
      const partial = readPartial()?.choices.find((other) => other.index === index)?.message ?? {};
      const received: Record<string, unknown> = partial;
      if (Object.entries(received).every(([name, value]) => name === 'role' || isEmpty(value))) {
        this.#indexes.add(index);
      }
      const added = this.#indexes.has(index)
        ? fields.filter(([name, value]) => !reason || received[name] !== value)
        : fields.filter(([name]) => isEmpty(received[name]));
      choice.delta = unchecked(Object.fromEntries(added));
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (Array.isArray(value) && value.length === 0);
}
