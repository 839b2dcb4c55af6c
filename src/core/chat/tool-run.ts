import { AbortedError } from '../../errors/aborted.ts';
import { PolygateError } from '../../errors/base.ts';
import { ToolRoundsError } from '../../errors/tool-rounds.ts';
import type { ChatCompletion } from '../../schemas/chat-completion.ts';
import type {
  ChatMessage,
  ChatParams,
  ToolCall,
  ToolDefinition,
  ToolMessage,
} from '../../schemas/chat-params.ts';
import type { RunParams, Tool, ToolRound, ToolRun } from '../../schemas/chat-run.ts';
import { whenAborted } from '../config/clock.ts';
import { toModelSchema } from './json-schema.ts';
import { roundUsd } from '../limits/round-usd.ts';
import { parseWithSchema } from './structured-output.ts';
import type { RequestOptions } from '../call/request-options.ts';
import { formatIssue } from '../call/response.ts';
import type { ApiResponse } from '../call/response.ts';
import { checkValue, nonNegativeInteger } from '../config/validation.ts';

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
  { maxRounds = 10, onToolError = toErrorMessage, signal }: RunOptions,
  ask: (params: ChatParams) => Promise<ApiResponse<ChatCompletion>>,
): Promise<ToolRun> {
  checkValue('maxRounds', maxRounds, nonNegativeInteger);
  const definitions = tools.map(definitionOf);
  const messages: ChatMessage[] = [...given];
  const rounds: ToolRound[] = [];
  const stop = new AbortController();
  const progress = () => ({ messages, rounds, chargeUsd: totalChargeUsd(rounds) });
  try {
    for (;;) {
      const { data: completion, meta } = await ask({ ...params, messages, tools: definitions });
      rounds.push({ completion, meta });
      const message = completion.choices[0]?.message;
      if (message !== undefined) messages.push(message);
      const calls = message?.tool_calls ?? [];
      if (calls.length === 0) return { completion, ...progress() };
      if (rounds.length >= maxRounds) {
        throw new ToolRoundsError(`The model still calls tools after maxRounds (${maxRounds}).`);
      }
      const ends = AbortSignal.any(signal === undefined ? [stop.signal] : [signal, stop.signal]);
      const work = calls.map((call) => executeToolCall(call, tools, ends, onToolError));
      messages.push(...(await Promise.race([Promise.all(work), aborted(ends)])));
    }
  } catch (error) {
    stop.abort(error);
    // Not enumerable: a printed error must not show the conversation.
    if (error instanceof PolygateError) Object.defineProperty(error, 'run', { value: progress() });
    throw error;
  }
}

function definitionOf({ name, description, parameters }: Tool): ToolDefinition {
  const { schema, strict } = toModelSchema(parameters, `tools.${name}.parameters`);
  return { type: 'function', function: { name, description, parameters: schema, strict } };
}

/** What a tool answers to a call; a failure is told to the model, unless `onToolError` throws. */
async function executeToolCall(
  call: ToolCall,
  tools: readonly Tool[],
  signal: AbortSignal,
  onToolError: (error: unknown, call: ToolCall) => unknown,
): Promise<ToolMessage> {
  const { name, arguments: text } = call.function;
  let content: string;
  try {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    const result = await parseWithSchema(tool.parameters, text || '{}');
    if (result.issues !== undefined) throw new Error(result.issues.map(formatIssue).join('; '));
    content = stringifyResult(await tool.execute(result.value, { signal, call }));
  } catch (error) {
    content = stringifyResult(await onToolError(error, call));
  }
  return { role: 'tool', tool_call_id: call.id, content };
}

function stringifyResult(answer: unknown): string {
  return typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '');
}

/** The caller does not wait for a tool that does not listen. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    whenAborted(signal, (cause) => {
      reject(new AbortedError('Aborted by the caller.', { cause, outcome: 'not-sent' }));
    });
  });
}

function toErrorMessage(error: unknown): object {
  return { error: error instanceof Error ? error.message : String(error) };
}

/** A replay costs nothing, whatever its headers tell of the first time. */
function totalChargeUsd(rounds: readonly ToolRound[]): number {
  const usd = ({ meta }: ToolRound) => (meta.idempotentReplay ? 0 : (meta.chargeUsd ?? 0));
  return roundUsd(rounds.reduce((sum, round) => sum + usd(round), 0));
}
