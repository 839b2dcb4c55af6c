import { AbortedError } from '../errors/aborted.ts';
import { PolygateError } from '../errors/base.ts';
import { ToolRoundsError } from '../errors/tool-rounds.ts';
import type { ChatCompletion } from '../schemas/chat-completion.ts';
import type {
  ChatMessage,
  ChatParams,
  ToolCall,
  ToolDefinition,
  ToolMessage,
} from '../schemas/chat-params.ts';
import type { RunParams, Tool, ToolRound, ToolRun } from '../schemas/chat-run.ts';
import { parseJson } from './error-body.ts';
import { modelSchema } from './json-schema.ts';
import { tidy } from './money.ts';
import type { RequestOptions } from './request.ts';
import { describe } from './response.ts';
import type { Answer } from './response.ts';
import { check, count } from './rules.ts';

/** The last argument of `run()`. */
export interface RunOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /**
   * The most requests that a run makes. When the last of them is answered with calls, they are not carried out and the
   * run fails with `ToolRoundsError`.
   * @defaultValue 10
   */
  maxRounds?: number | undefined;
  /**
   * What to tell the model when a tool throws, when its arguments do not fit, or when there is no such tool; what this
   * throws ends the run. By default the model is told `{"error": "<the error's message>"}`.
   */
  onToolError?: ((error: unknown, call: ToolCall) => unknown) | undefined;
}

/** Asks, carries out the tools that the model calls, tells it what they answered, and asks again until it is done. */
export async function runTools(
  { tools, messages: given, ...params }: RunParams,
  { maxRounds = 10, onToolError = messageOf, signal }: RunOptions,
  ask: (params: ChatParams) => Promise<Answer<ChatCompletion>>,
): Promise<ToolRun> {
  check('maxRounds', maxRounds, count);
  const definitions = tools.map(definitionOf);
  const messages: ChatMessage[] = [...given];
  const rounds: ToolRound[] = [];
  const progress = () => ({ messages, rounds, chargeUsd: total(rounds) });
  try {
    for (;;) {
      const { data: completion, meta } = await ask({ ...params, messages, tools: definitions });
      rounds.push({ completion, meta });
      const message = completion.choices[0]?.message;
      if (message !== undefined) messages.push(message);
      const calls = message?.tool_calls ?? [];
      if (calls.length === 0) return { completion, ...progress() };
      if (rounds.length >= maxRounds) {
        const why = `The model still calls tools after ${maxRounds} rounds (maxRounds).`;
        throw new ToolRoundsError(`${why} error.run holds the conversation and its cost.`);
      }
      const stop = new AbortController();
      const work = calls.map((call) => answerOf(call, tools, stop.signal, onToolError));
      messages.push(...(await untilAborted(Promise.all(work), signal, stop)));
    }
  } catch (error) {
    // Not enumerable: a printed error must not show the conversation.
    if (error instanceof PolygateError) Object.defineProperty(error, 'run', { value: progress() });
    throw error;
  }
}

function definitionOf({ name, description, parameters }: Tool): ToolDefinition {
  const { schema, strict } = modelSchema(parameters, `tools.${name}.parameters`);
  return { type: 'function', function: { name, description, parameters: schema, strict } };
}

/** What a tool answers to a call; a failure is told to the model, unless `onToolError` throws. */
async function answerOf(
  call: ToolCall,
  tools: readonly Tool[],
  signal: AbortSignal,
  onToolError: (error: unknown, call: ToolCall) => unknown,
): Promise<ToolMessage> {
  const answer = await carryOut(call, tools, signal).catch((error: unknown) =>
    onToolError(error, call),
  );
  const content = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '');
  return { role: 'tool', tool_call_id: call.id, content };
}

async function carryOut(call: ToolCall, tools: readonly Tool[], signal: AbortSignal) {
  const { name, arguments: text } = call.function;
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const args = parseJson(text || '{}');
  if (args === text) throw new Error('The arguments are not JSON.');
  const result = await tool.parameters['~standard'].validate(args);
  if (result.issues !== undefined) {
    throw new Error(`The arguments do not fit: ${result.issues.map(describe).join('; ')}.`);
  }
  return tool.execute(result.value, { signal, call });
}

/** Waits for the tools, but no longer than the caller does; however it ends early, the tools are told. */
async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  stop: AbortController,
): Promise<Result> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      const message = 'Aborted by the caller, while tools were running.';
      reject(new AbortedError(message, { cause: signal?.reason, outcome: 'not-sent' }));
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    stop.abort(signal?.aborted ? signal.reason : error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function messageOf(error: unknown): object {
  return { error: error instanceof Error ? error.message : String(error) };
}

/** A replay costs nothing, whatever its headers tell of the first time. */
function total(rounds: readonly ToolRound[]): number {
  const usd = ({ meta }: ToolRound) => (meta.idempotentReplay ? 0 : (meta.chargeUsd ?? 0));
  return tidy(rounds.reduce((sum, round) => sum + usd(round), 0));
}
