import { chatEndpoints } from '../../wire/endpoints/chat.ts';
import { safetyOf } from '../../wire/endpoints/endpoint.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { ChatMessage } from '../../wire/types/chat/messages.ts';
import type {
  StreamParams,
  RunParams,
  ToolRun,
  ToolRunProgress,
} from '../../wire/types/chat/output.ts';
import type { ChatParams } from '../../wire/types/chat/params.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isSchema } from '../../wire/types/standard-schema.ts';
import type { FieldProblem } from '../../wire/types/type-guards.ts';
import { callTo, loadTime } from '../call/api-request.ts';
import type { ApiRequest, AttemptObserver } from '../call/api-request.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import { bodyParams, checkParams, toJson, checkNoOptions } from '../call/params.ts';
import {
  fallbackOf,
  checkRequestOptions,
  fallbackRules,
  withIdempotencyKey,
} from '../call/request-options.ts';
import type { CheckedOptions, RequestOptions } from '../call/request-options.ts';
import { startRequest } from '../call/request.ts';
import type { ApiResponse } from '../call/response.ts';
import { checkValue, functionValue, positiveInteger } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { parseJson } from '../http/json.ts';
import { Part } from '../http/part.ts';
import { streamReader } from '../stream/pending-stream.ts';
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
import type { Rounds, RunOptions } from './tool-run.ts';

/** A chat request that is ready to be sent. */
export interface PreparedChat extends ApiRequest {
  readonly model: string;
  readonly body: string;
  readonly options: CheckedOptions;
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
    ...callTo(chatEndpoints.chat.create, config),
    body,
    model: params.model,
    headers: isStream ? { accept: 'text/event-stream' } : undefined,
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
      const described = describe();
      return {
        ...callTo(chatEndpoints.chat.create, context.config),
        ...described,
        observer,
        options: checkChatOptions(context, own),
        fallback: fallbackOf(described.model, own),
      };
    };
    return startRequest(context, prepare, (prepared) => createParsed(context, prepared));
  };
  return new ChatSubmission(request, send, options);
}

/**
 * With `retryAmbiguous.chat`, the caller states that the service replays chat requests. Only then is a key generated for
 * a call without one. Assumption A11.
 */
function checkChatOptions({ config }: ClientContext, options: RequestOptions | undefined) {
  const isKeyed = safetyOf(chatEndpoints.chat.create, config.retryAmbiguous) === 'keyed';
  return checkRequestOptions(isKeyed ? withIdempotencyKey(options) : options, fallbackRules);
}

/** Sends a chat that is not streamed. */
export function createCompletion(
  context: ClientContext,
  request: ApiRequest,
): Promise<ApiResponse<ChatCompletion>> {
  return execute(context, request, readCompletion);
}

/** Sends a chat that is not streamed, and parses its completion if it has a schema. */
export async function createParsed(
  context: ClientContext,
  request: ApiRequest & Pick<ChatRequest, 'transform'>,
): Promise<ApiResponse<ChatCompletion>> {
  const { transform } = request;
  const result = await createCompletion(context, request);
  return { ...result, data: await transform(result.data, result.meta()) };
}

/** Reports a param that must be a list and is not. */
function listProblem(params: Record<string, unknown>, name: string): FieldProblem | undefined {
  return Array.isArray(params[name]) ? undefined : [name, 'must be an array'];
}

/** The rules of the options of a run, and of one that it does not accept. */
const runRules: Rules = {
  maxRounds: positiveInteger,
  onToolError: functionValue,
  onStream: functionValue,
  idempotencyKey: [() => false, 'omitted: a run sends several requests'],
};

export const toolRuns = /* @__PURE__ */ new Part(() => import('./tool-run.ts'));

/** Checks the arguments of a run. */
export function checkRun(params: RunParams, options: RunOptions): void {
  checkNoOptions(params, runRules);
  checkParams(params, (fields) => listProblem(fields, 'messages') ?? listProblem(fields, 'tools'));
  checkRequestOptions(options, runRules, fallbackRules);
}

/** Starts a run. Later changes to the messages do not affect its first request. */
export async function startRun(
  params: RunParams,
  options: RunOptions,
  to: Rounds,
): Promise<ToolRun> {
  const { loaded } = toolRuns;
  if (loaded) return loaded.runTools(params, options, to);
  const messages = unchecked<ChatMessage[]>(parseJson(toJson(params.messages)));
  const copied = { ...params, messages, tools: [...params.tools] };
  const given = { ...options };
  const load = { signal: given.signal, timeout: loadTime(to), clock: to.config.clock };
  const { runTools } = await toolRuns.load(load).catch((error: unknown) => {
    const run: ToolRunProgress = { messages, rounds: [], chargeUsd: 0 };
    throw Object.defineProperty(Object(error), 'run', { value: run });
  });
  return runTools(copied, given, to);
}
