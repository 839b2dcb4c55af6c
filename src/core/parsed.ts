import { AnswerFormatError } from '../errors/answer-format.ts';
import type { AnswerFormatReason } from '../errors/answer-format.ts';
import type { ChatCompletion } from '../schemas/chat-completion.ts';
import type { ParsedCompletion } from '../schemas/chat-output.ts';
import type { ResponseMeta } from '../schemas/meta.ts';
import type { SchemaIssue, StandardSchema } from '../schemas/standard-schema.ts';
import { oneLine, parseJson } from './error-body.ts';
import { describe } from './response.ts';

/** What becomes of a whole answer. */
export type Finisher<Final> = (completion: ChatCompletion, meta: ResponseMeta) => Promise<Final>;

/** Finishes answers by a schema, if there is one. */
export function parser(
  schema: StandardSchema<unknown> | undefined,
  idempotencyKey?: string,
): Finisher<ChatCompletion> {
  return async (completion, meta) =>
    schema === undefined ? completion : parsed(schema, completion, meta, idempotencyKey);
}

/** Adds to a completion what its first choice holds by a schema, or throws why it holds no such thing. */
export async function parsed<Output>(
  schema: StandardSchema<Output>,
  completion: ChatCompletion,
  meta: ResponseMeta,
  idempotencyKey?: string,
): Promise<ParsedCompletion<Output>> {
  const { message, finish_reason } = completion.choices[0] ?? {};
  const { refusal } = message ?? {};
  const text = refusal || message?.content || '';
  const fail = (reason: AnswerFormatReason, why: string, issues?: readonly SchemaIssue[]) => {
    const where = meta.requestId === undefined ? '' : ` [request ${meta.requestId}]`;
    const said = oneLine(text) || '(nothing)';
    return new AnswerFormatError(`${oneLine(why)}. It says: ${said}${where}`, {
      reason,
      text,
      completion,
      meta,
      idempotencyKey,
      issues,
      body: completion,
      outcome: 'unknown',
    });
  };
  if (refusal) throw fail('refused', 'The model refused to answer');
  if (finish_reason === 'length')
    throw fail('length', 'The answer was cut short by its limit of tokens');
  if (finish_reason === 'content_filter')
    throw fail('content_filter', 'A filter cut the answer short');
  const value = parseJson(text);
  if (value === text) throw fail('not-json', 'The answer is not JSON');
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ...completion, parsed: result.value };
  const why = result.issues.map(describe).join('; ');
  throw fail('mismatch', `The answer does not fit the schema: ${why}`, result.issues);
}
