import type { ChatMessage } from '../../wire/types/chat/messages.ts';
import type { RunParams, ToolRun, ToolRunProgress } from '../../wire/types/chat/output.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { loadTime } from '../call/call-limits.ts';
import { checkNoOptions, checkParams, toJson } from '../call/request/params.ts';
import { checkRequestOptions, fallbackRules } from '../call/request/request-options.ts';
import { functionValue, positiveInteger } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { parseJson } from '../http/json.ts';
import { Part } from '../http/part.ts';
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
