import { PolygateError } from '../../errors/base.ts';
import { notSent, RequestTimeoutError } from '../../errors/call.ts';
import { ToolRoundsError } from '../../errors/chat.ts';
import { textOfPart, usdText } from '../../errors/message.ts';
import { restateCharge } from '../../errors/restate-charge.ts';
import { roundUsd } from '../../paid/amounts.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import { finishMeaning } from '../../wire/types/chat/finish-reason.ts';
import type { FinishMeaning } from '../../wire/types/chat/finish-reason.ts';
import type { ChatMessage, ToolMessage } from '../../wire/types/chat/messages.ts';
import type {
  RunParams,
  Tool,
  ToolRound,
  ToolRun,
  ToolRunProgress,
} from '../../wire/types/chat/output.ts';
import type { ChatParams, ToolCall, ToolDefinition } from '../../wire/types/chat/params.ts';
import type { AttemptObserver, CallLimits } from '../call/api-request.ts';
import type { RequestOptions } from '../call/request-options.ts';
import { formatIssues } from '../call/response.ts';
import type { ApiResponse } from '../call/response.ts';
import type { CallerContext } from '../config/caller.ts';
import { monotonicNow, startTimer } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';
import { sentence, singleLine, toText } from '../http/json.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { TimeLimit } from '../limits/time-limit.ts';
import { callsOf, withSentCalls } from '../stream/sent-calls.ts';
import { isExecutable } from '../stream/tool-arguments.ts';
import type { ChatStream } from './chat-stream.ts';
import { toModelSchema } from './json-schema.ts';
import { parseWithSchema } from './structured-output.ts';

/**
 * Options of `run()`. `timeout` and `maxRetries` apply to each request of the run, and `totalTimeout` to the whole run,
 * including the tools and the streams.
 */
export interface RunOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /**
   * Maximum number of requests, at least 1. If the model still calls tools in the last response, those calls are not
   * executed, and the run rejects with `ToolRoundsError`.
   * @defaultValue 10
   */
  maxRounds?: number | undefined;
  /**
   * Returns the tool result to send to the model when a tool throws, its arguments do not match its schema, or there
   * is no such tool. An error that this function throws ends the run.
   * @defaultValue sends `{"error": "<the error's message>"}`
   */
  onToolError?: ((error: unknown, call: ToolCall) => unknown) | undefined;
  /**
   * Streams the response of each round. Called before the round is sent, with its stream and the run so far: loop over
   * the stream to show its text. If you do not start reading it before you return, the run reads it. Errors that you
   * throw are logged; leaving the loop early aborts the run.
   */
  onStream?: ((stream: ChatStream, run: ToolRunProgress) => void) | undefined;
}

/** What sends the requests of a run, and the time that all of them may take. */
export interface Rounds extends CallLimits {
  readonly config: Config;
  /** Later rounds start long after the context of the caller has ended. */
  readonly enter: CallerContext;
  complete(
    params: ChatParams,
    options: RequestOptions,
    observer: AttemptObserver,
  ): Promise<ApiResponse<ChatCompletion>>;
  stream(params: ChatParams, options: RequestOptions, observer: AttemptObserver): ChatStream;
}

/** Sends requests, executes the tools that the model calls, and sends their results, until the model calls no tool. */
export async function runTools(
  { tools, messages: initialMessages, ...params }: RunParams,
  {
    maxRounds = 10,
    onToolError = (error) => ({ error: error instanceof Error ? error.message : String(error) }),
    onStream,
    ...options
  }: RunOptions,
  to: Rounds,
): Promise<ToolRun> {
  const definitions = tools.map(toDefinition);
  const messages: ChatMessage[] = [...initialMessages];
  const rounds: ToolRound[] = [];
  const run: ToolRunProgress = { messages, rounds, chargeUsd: 0 };
  try {
    for (;;) {
      // Not all services accept an empty list.
      const request = {
        ...params,
        messages,
        tools: definitions.length > 0 ? definitions : undefined,
      };
      // Of all attempts. The response of the last one may repeat the charge of an earlier one.
      let chargedUsd = 0;
      const observer = { onCharge: (usd: number) => void (chargedUsd += usd) };
      const { data: completion, meta: readMeta } = await to.enter(() =>
        onStream
          ? streamRound(to.stream(request, options, observer), onStream, run, to)
          : to.complete(request, options, observer),
      );
      rounds.push({ completion, meta: readMeta() });
      run.chargeUsd = roundUsd(run.chargeUsd + chargedUsd);
      const { message: received, finish_reason: reason } = completion.choices[0] ?? {};
      const message = received && withSentCalls(received, messages);
      if (message !== undefined) messages.push(message);
      const calls = message ? callsOf(message) : [];
      if (calls.length === 0) return { completion, ...run };
      checkComplete(reason, received ? callsOf(received) : []);
      if (rounds.length >= maxRounds) {
        throw new ToolRoundsError(
          `The model still calls tools after maxRounds (${maxRounds}) requests; error.run has the messages.`,
        );
      }
      const work = (toolSignal: AbortSignal) =>
        Promise.all(
          calls.map(async (call): Promise<ToolMessage> => {
            const result = await executeToolCall(call, tools, toolSignal).catch((error: unknown) =>
              onToolError(error, call),
            );
            return { role: 'tool', tool_call_id: call.id, content: contentOf(result, call) };
          }),
        );
      messages.push(...(await runWithTimeLimit(work, toolLimit(options.signal, to))));
    }
  } catch (error) {
    throw PolygateError.is(error) ? withRun(error, run) : error;
  }
}

/** Passes the stream of a round to the caller, and reads it to its end. */
async function streamRound(
  stream: ChatStream,
  onStream: NonNullable<RunOptions['onStream']>,
  run: ToolRunProgress,
  to: Rounds,
): Promise<Pick<ApiResponse<ChatCompletion>, 'data' | 'meta'>> {
  notify(to.config.log, (opened) => onStream(opened, run), stream, 'onStream');
  return { data: await finalInTime(stream, to), meta: () => stream.meta ?? emptyMeta() };
}

/** Reads the stream of a round to its end, at most until the run must end. Until its headers, the call has this limit. */
async function finalInTime(
  stream: ChatStream,
  { config: { clock }, deadline, totalTimeout }: Rounds,
): Promise<ChatCompletion> {
  if (deadline === Infinity) return stream.final();
  let late: RequestTimeoutError | undefined;
  const stop = startTimer(clock, deadline - monotonicNow(clock), () => {
    if (stream.meta === undefined) return;
    late = new RequestTimeoutError(
      `The stream did not end within ${totalTimeout} ms (totalTimeout). The request may have been charged; sending it again may charge you again.`,
      { outcome: 'unknown', meta: stream.meta },
    );
    stream.abort();
  });
  try {
    return await stream.final();
  } catch (error) {
    throw late ?? error;
  } finally {
    stop();
  }
}

/** The error of a run, which may have been charged for earlier requests, whatever has ended it. */
function withRun(error: PolygateError, run: ToolRunProgress): PolygateError {
  const failed = run.rounds.length > 0 ? restateCharge(error, chargeSentence(error, run)) : error;
  // Not enumerable, so that a logged error does not reveal the conversation. Configurable, because the error of a run that
  // a tool has started ends this one, too.
  return Object.defineProperty(failed, 'run', { value: run, configurable: true });
}

/** What the error of a run says about its charges: those of the completed rounds, then that of the last request. */
function chargeSentence(
  { outcome, parts }: PolygateError,
  { rounds, chargeUsd }: ToolRunProgress,
): string {
  const isKnown = rounds.every(({ meta }) => meta.chargeUsd !== undefined);
  const last = outcome === 'unknown' ? parts?.charge : undefined;
  const earlier =
    chargeUsd > 0
      ? `The completed requests of this run were charged ${isKnown ? '' : 'at least '}${usdText(chargeUsd)}.`
      : 'The completed requests of this run may have been charged.';
  return last === undefined ? earlier : `${earlier} ${textOfPart(last)}`;
}

/** The result of a tool, or of `onToolError`, as the content of a message. */
function contentOf(result: unknown, call: ToolCall): string {
  try {
    return toText(result);
  } catch (cause) {
    const reason = sentence(singleLine(cause instanceof Error ? cause.message : String(cause)));
    throw new PolygateError(
      `The result of the tool call ${call.id} cannot be sent, because JSON cannot hold it: ${reason}`,
      { cause },
    );
  }
}

/** What ends the tools of a round. */
function toolLimit(
  signal: AbortSignal | undefined,
  { config: { clock }, deadline, totalTimeout }: Rounds,
): TimeLimit {
  if (deadline === Infinity) return { signal, errors: notSent };
  const timeout = () =>
    new RequestTimeoutError(`The tools did not finish within ${totalTimeout} ms (totalTimeout).`, {
      outcome: 'not-sent',
    });
  const ms = Math.max(0, deadline - monotonicNow(clock));
  return { clock, ms, signal, errors: { ...notSent, timeout } };
}

/** Any call of a response that was cut off may be incomplete, even if its arguments match their schema. */
function checkComplete(reason: unknown, received: readonly ToolCall[]): void {
  const calls = received.map((call): unknown => Reflect.get(Object(call.function), 'arguments'));
  if (isExecutable(reason, calls)) return;
  const advice = cutOffAdvice[finishMeaning(reason) ?? 'error'] ?? cutOffAdvice.error;
  throw new ToolRoundsError(
    `The response with the model's tool calls was cut off (finish_reason: ${String(reason)}), so none of them was executed. ${advice}; error.run has the messages.`,
  );
}

const cutOffAdvice: Partial<Record<FinishMeaning, string>> & { readonly error: string } = {
  length: 'Increase max_completion_tokens',
  content_filter: 'Change the prompt',
  error: 'Run it again',
};

function toDefinition({ name, description, parameters }: Tool): ToolDefinition {
  const { schema, strict } = toModelSchema(parameters, `tools.${name}.parameters`);
  return { type: 'function', function: { name, description, parameters: schema, strict } };
}

/** Executes one call and returns its result. Rejects if the tool does not exist, or fails. */
async function executeToolCall(
  call: ToolCall,
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<unknown> {
  const { name, arguments: text } = call.function;
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const result = await parseWithSchema(tool.parameters, text || '{}');
  if (result.issues !== undefined) throw new Error(formatIssues(result.issues));
  return tool.execute(result.value, { signal, call });
}
