import { RequestTimeoutError } from '../../errors/connection.ts';
import type { ChatCompletion } from '../../types/chat/completion.ts';
import type { ChatMessage } from '../../types/chat/messages.ts';
import type { RunParams, ToolRun, ToolRunProgress } from '../../types/chat/run.ts';
import { unchecked } from '../../types/schema.ts';
import { loadTime } from '../call/call-limits.ts';
import { checkNoOptions, checkParams, toJson } from '../call/request/params.ts';
import { checkRequestOptions, fallbackRules } from '../call/request/request-options.ts';
import { monotonicNow, startTimer } from '../config/clock.ts';
import { functionValue, positiveInteger } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { parseJson } from '../http/json.ts';
import { Part } from '../http/part.ts';
import type { ChatStream } from './chat-stream.ts';
import { listProblem } from './prepare-chat.ts';
import type { RunOptions, RunTime, SendRound } from './tool-run.ts';

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
  options: Omit<RunOptions, 'onStream'>,
  time: RunTime,
  send: SendRound,
): Promise<ToolRun> {
  const { loaded } = toolRuns;
  if (loaded) return loaded.runTools(params, options, time, send);
  const messages = unchecked<ChatMessage[]>(parseJson(toJson(params.messages)));
  const copied = { ...params, messages, tools: [...params.tools] };
  const load = { signal: options.signal, timeout: loadTime(time), clock: time.clock };
  const { runTools } = await toolRuns.load(load).catch((error: unknown) => {
    const run: ToolRunProgress = { messages, rounds: [], chargeUsd: 0 };
    throw Object.defineProperty(Object(error), 'run', { value: run });
  });
  return runTools(copied, options, time, send);
}

/** Reads the stream of a round to its end, at most until the run must end. Until its headers, the call has this limit. */
export async function finalInTime(
  stream: ChatStream,
  { clock, deadline, totalTimeout }: RunTime,
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
