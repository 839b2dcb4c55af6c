import type { ChatCompletion } from '../../types/chat/completion.ts';
import type { ResponseMeta } from '../../types/meta.ts';
import { isSchema } from '../../types/standard-schema.ts';
import { Part } from '../http/part.ts';

/** Turns an accumulated completion into the result of `final()`. */
export type CompletionTransform<Final> = (
  completion: ChatCompletion,
  meta: ResponseMeta,
) => Promise<Final>;

/** What parses completions. A call with a schema lists it in `parts`. */
export const structuredOutput = /* @__PURE__ */ new Part(() => import('./structured-output.ts'));

/**
 * Returns a transform that adds the parsed content of the first choice, or leaves completions unchanged if `schema` is
 * not a schema. It throws a {@link StructuredOutputError} if the completion is a refusal, is incomplete or does not
 * match the schema.
 */
export function completionParser(
  schema: object | undefined,
  idempotencyKey?: string,
): CompletionTransform<ChatCompletion> {
  return async (completion, meta) => {
    if (!isSchema(schema)) return completion;
    // The completion may have been charged.
    const { parseCompletion } = await structuredOutput.load({
      details: { outcome: 'unknown', idempotencyKey },
    });
    return parseCompletion(schema, completion, meta, idempotencyKey);
  };
}
