import type { RunParams, ToolRun } from '../../types/chat/run.ts';
import { checkParams } from '../call/params.ts';
import { checkRequestOptions, fallbackRules } from '../call/request-options.ts';
import { functionValue, positiveInteger } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import { listProblem } from './prepare-chat.ts';
import type { RunOptions, SendRound } from './tool-run.ts';

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
  checkParams(params, (fields) => listProblem(fields, 'messages') ?? listProblem(fields, 'tools'));
  checkRequestOptions(options, runRules, fallbackRules);
}

/** Starts a run. Later changes to the params have no effect. */
export async function startRun(
  params: RunParams,
  options: Omit<RunOptions, 'onStream'>,
  send: SendRound,
): Promise<ToolRun> {
  const { messages, tools } = params;
  const copied = { ...params, messages: [...messages], tools: [...tools] };
  const { runTools } = await toolRuns.load({ signal: options.signal });
  return runTools(copied, options, send);
}
