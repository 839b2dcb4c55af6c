import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isSchema } from '../../wire/types/standard-schema.ts';
import { Part } from '../http/part.ts';

/** Turns an accumulated completion into the result of `final()`. */
export type CompletionTransform<Final> = (
  completion: ChatCompletion,
  meta: ResponseMeta,
) => Promise<Final>;

/** What converts schemas and parses completions. A call with a schema lists it in `parts`. */
export const structuredOutput = /* @__PURE__ */ new Part(() => import('./structured-output.ts'));

/** Whether a `response_format` is a schema, also one of a library version without Standard Schema, which is rejected. */
export function isSchemaFormat(format: unknown): boolean {
  return isSchema(format) || typeof Reflect.get(Object(format), 'safeParse') === 'function';
}

/** The body of a request, with the JSON Schema of the schema in its place. */
export async function withSchema(body: string, format: unknown): Promise<string> {
  const { toResponseFormat } = await structuredOutput.load();
  const params = unchecked<object>(JSON.parse(body));
  return JSON.stringify({ ...params, response_format: toResponseFormat(format) });
}

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
