import { createChatCompletion } from '../../wire/endpoints/catalog.ts';
import { safetyOf } from '../../wire/endpoints/endpoint.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { StreamParams } from '../../wire/types/chat/output.ts';
import type { ChatParams } from '../../wire/types/chat/params.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isSchema } from '../../wire/types/standard-schema.ts';
import { callTo } from '../call/api-call.ts';
import type { ApiCall, AttemptObserver } from '../call/api-call.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import { fallbackOf } from '../call/request/fallback-option.ts';
import { bodyParams, checkParams, toJson } from '../call/request/params.ts';
import {
  checkRequestOptions,
  fallbackRules,
  withIdempotencyKey,
} from '../call/request/request-options.ts';
import type { RequestOptions } from '../call/request/request-options.ts';
import { startRequest } from '../call/request/request.ts';
import type { ApiResponse } from '../call/response.ts';
import type { PreparedCall } from '../call/running-call.ts';
import { checkValue } from '../config/validation.ts';
import { streamReader } from '../stream/open-stream.ts';
import { readCompletion } from '../stream/read-completion.ts';
import { ChatSubmission } from './chat-submission.ts';
import type { ChatRequest } from './chat-submission.ts';
import {
  completionParser,
  isSchemaFormat,
  structuredOutput,
  withSchema,
} from './completion-parser.ts';
import type { CompletionTransform } from './completion-parser.ts';

/** A chat request that is ready to be sent. */
export interface PreparedChat extends PreparedCall {
  readonly call: ApiCall & Pick<ChatRequest, 'model' | 'body'>;
  /** The number of choices that the request specifies in `n`. */
  readonly choiceCount: number;
  /** Parses the completion if the request has a schema. */
  readonly transform: CompletionTransform<ChatCompletion>;
}

/** Prepares a request from its params. */
export function prepareChat(
  context: ClientContext,
  given: StreamParams<unknown>,
  options: RequestOptions | undefined,
  isStream: boolean,
): PreparedChat {
  const merged = bodyParams(given, options);
  checkParams(merged, (fields) => listProblem(fields, 'messages'));
  const format: unknown = merged.response_format;
  const hasSchema = isSchemaFormat(format);
  // A schema is replaced once the part that converts it is loaded.
  const params = unchecked<ChatParams>(hasSchema ? { ...merged, response_format: null } : merged);
  // The method has already decided how to read the response.
  checkValue('stream', Boolean(params.stream), [(stream) => stream === isStream, String(isStream)]);
  const { config } = context;
  const checked = checkChatOptions(context, options);
  const body = toJson(params);
  const isParsed = isSchema(given.response_format);
  return {
    call: {
      ...callTo(createChatCompletion, config),
      body,
      model: params.model,
      headers: isStream ? { accept: 'text/event-stream' } : undefined,
    },
    options: checked,
    fallback: fallbackOf(params.model, options),
    parts: [
      ...(isStream ? [streamReader] : []),
      ...(hasSchema || isParsed ? [structuredOutput] : []),
    ],
    completeBody: hasSchema ? () => withSchema(body, format) : undefined,
    choiceCount: params.n ?? 1,
    transform: completionParser(given.response_format, checked.idempotencyKey),
  };
}

/** Creates a submission of a request that is sent later, or not at all. */
export function describeChat<Output>(
  context: ClientContext,
  request: () => ChatRequest,
  options?: RequestOptions,
): ChatSubmission<Output> {
  const send = (
    describe: () => ChatRequest,
    own: RequestOptions,
    observer: AttemptObserver | undefined,
  ) => {
    const prepare = () => {
      const { model, body, parts, completeBody, transform } = describe();
      const call = {
        ...callTo(createChatCompletion, context.config),
        model,
        body,
        observer,
      };
      return {
        call,
        options: checkChatOptions(context, own),
        fallback: fallbackOf(model, own),
        parts,
        completeBody,
        transform,
      };
    };
    return startRequest(context, prepare, async ({ transform, ...prepared }) => {
      const result = await createCompletion(context, prepared);
      return { ...result, data: await transform(result.data, result.meta()) };
    });
  };
  return new ChatSubmission(request, send, options);
}

/**
 * With `retryAmbiguous.chat`, the caller states that the service replays chat requests. Only then is a key generated for
 * a call without one. Assumption A11.
 */
function checkChatOptions({ config }: ClientContext, options: RequestOptions | undefined) {
  const isKeyed = safetyOf(createChatCompletion, config.retryAmbiguous) === 'keyed';
  return checkRequestOptions(isKeyed ? withIdempotencyKey(options) : options, fallbackRules);
}

/** Sends a chat that is not streamed. */
export async function createCompletion(
  context: ClientContext,
  prepared: PreparedCall,
): Promise<ApiResponse<ChatCompletion>> {
  return execute(context, prepared, readCompletion);
}

/** Reports a param that must be a list and is not. */
export function listProblem(params: Record<string, unknown>, name: string): string | undefined {
  return Array.isArray(params[name]) ? undefined : `${name}: must be an array`;
}
