import { StructuredOutputError } from '../../errors/chat.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import { finishMeaning } from '../../wire/types/chat/finish-reason.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { StandardResult, StandardSchema } from '../../wire/types/standard-schema.ts';
import { formatIssues } from '../call/response.ts';
import { singleLine, parseJson } from '../http/json.ts';
import { contentText } from './content.ts';

export { toResponseFormat } from './json-schema.ts';

/** Parses a text as JSON and validates it with a schema. */
export async function parseWithSchema<Output>(
  schema: StandardSchema<Output>,
  text: string,
): Promise<StandardResult<Output>> {
  const value = parseJson(text);
  if (value === undefined) return { issues: [{ message: 'the text is not valid JSON' }] };
  return schema['~standard'].validate(value);
}

/**
 * Adds the parsed content of the first choice to a completion.
 *
 * @throws {@link StructuredOutputError} if the completion is a refusal, is incomplete or does not match the schema.
 */
export async function parseCompletion(
  schema: StandardSchema<unknown>,
  completion: ChatCompletion,
  meta: ResponseMeta,
  idempotencyKey: string | undefined,
): Promise<ChatCompletion> {
  const { message, finish_reason } = completion.choices[0] ?? {};
  const refusal = message?.refusal;
  const text = refusal || contentText(message?.content);
  const reason = refusal
    ? 'refused'
    : truncationReasons.find((known) => known === finishMeaning(finish_reason));
  const result = reason
    ? { issues: [{ message: incomplete[reason] }] }
    : await parseWithSchema(schema, jsonIn(text.replace(/^\ufeff/, '')));
  if (result.issues === undefined) return { ...completion, parsed: result.value };
  const issues = singleLine(formatIssues(result.issues));
  const problem = reason ? issues : `The completion does not match the schema: ${issues}`;
  const content = `Content: "${singleLine(text)}"`;
  const request = meta.requestId ? ` [request ${meta.requestId}]` : '';
  throw new StructuredOutputError(`${problem}. It may have been charged. ${content}${request}`, {
    reason: reason ?? 'mismatch',
    issues: result.issues,
    text,
    completion,
    body: completion,
    meta,
    idempotencyKey,
    outcome: 'unknown',
  });
}

/**
 * The JSON in the content of a completion. Some models put it into a fenced block, or write their reasoning before it, up to
 * `</think>`.
 */
function jsonIn(text: string): string {
  const isJson = (candidate: string) => parseJson(candidate) !== undefined;
  if (isJson(text)) return text;
  const end = '</think>';
  const ends = [text.indexOf(end), text.lastIndexOf(end)].filter((position) => position >= 0);
  const contents = [...ends.map((position) => text.slice(position + end.length)), text];
  // Greedy, so that two blocks are not taken for one that was meant.
  const blocks = contents.map((content) => /```\w*\s([\s\S]*)```/.exec(content)?.[1] ?? '');
  return [...contents, ...blocks].find(isJson) ?? text;
}

/** What finish reasons mean that leave the content incomplete. */
const truncationReasons = ['length', 'content_filter'] as const;

/** Why a completion has no content to validate, and what to do. */
const incomplete = {
  refused: 'The model refused the request. Change the prompt',
  length: 'The completion reached the token limit (length). Increase max_completion_tokens',
  content_filter: 'A content filter cut the completion off (content_filter). Change the prompt',
};
