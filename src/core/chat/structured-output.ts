import { StructuredOutputError } from '../../errors/structured-output.ts';
import type { ChatCompletion } from '../../schemas/chat-completion.ts';
import type { ParsedCompletion } from '../../schemas/chat-output.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { StandardResult, StandardSchema } from '../../schemas/standard-schema.ts';
import { singleLine, parseJson } from '../http/json.ts';
import { isSchema } from './json-schema.ts';
import { formatIssue } from '../call/response.ts';

/** What becomes of a whole answer. */
export type CompletionTransform<Final> = (
  completion: ChatCompletion,
  meta: ResponseMeta,
) => Promise<Final>;

/** Finishes answers by a schema, if it is one. */
export function completionParser(
  schema: object | undefined,
  idempotencyKey?: string,
): CompletionTransform<ChatCompletion> {
  return async (completion, meta) =>
    isSchema(schema) ? parseCompletion(schema, completion, meta, idempotencyKey) : completion;
}

/** What a schema makes of a text that should be JSON. */
export async function parseWithSchema<Output>(
  schema: StandardSchema<Output>,
  text: string,
): Promise<StandardResult<Output>> {
  const value = parseJson(text);
  if (value === undefined) return { issues: [{ message: 'it is not JSON' }] };
  return schema['~standard'].validate(value);
}

/** Adds to a completion what its first choice holds by a schema, or throws why it holds no such thing. */
export async function parseCompletion<Output>(
  schema: StandardSchema<Output>,
  completion: ChatCompletion,
  meta: ResponseMeta,
  idempotencyKey?: string,
): Promise<ParsedCompletion<Output>> {
  const { message, finish_reason } = completion.choices[0] ?? {};
  const refusal = message?.refusal;
  const text = refusal || message?.content || '';
  const cut = refusal ? 'refused' : incompleteReasons.find((reason) => reason === finish_reason);
  const result =
    cut === undefined ? await parseWithSchema(schema, text) : { issues: [{ message: cut }] };
  if (result.issues === undefined) return { ...completion, parsed: result.value };
  const why = singleLine(result.issues.map(formatIssue).join('; '));
  const where = meta.requestId === undefined ? '' : ` [request ${meta.requestId}]`;
  const says = singleLine(text) || '(nothing)';
  throw new StructuredOutputError(`The answer is not as asked: ${why}. It says: ${says}${where}`, {
    reason: cut ?? 'mismatch',
    issues: result.issues,
    text,
    completion,
    body: completion,
    meta,
    idempotencyKey,
    outcome: 'unknown',
  });
}

const incompleteReasons = ['length', 'content_filter'] as const;
