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
  const value = parseJson(text);
  let reason: AnswerFormatReason = value === text ? 'not-json' : 'mismatch';
  reason = cuts.find((cut) => cut === finish_reason) ?? reason;
  if (refusal) reason = 'refused';
  let issues: readonly SchemaIssue[] | undefined;
  if (reason === 'mismatch') {
    const result = await schema['~standard'].validate(value);
    if (result.issues === undefined) return { ...completion, parsed: result.value };
    ({ issues } = result);
  }
  const why = [reason, ...(issues ?? []).map(describe)].join('; ');
  const where = meta.requestId === undefined ? '' : ` [request ${meta.requestId}]`;
  const told = `The answer is not as asked: ${oneLine(why)}. It says: ${oneLine(text) || '(nothing)'}${where}`;
  throw new AnswerFormatError(told, {
    reason,
    text,
    completion,
    meta,
    idempotencyKey,
    issues,
    body: completion,
    outcome: 'unknown',
  });
}

const cuts = ['length', 'content_filter'] as const;
