import { authentication } from './free/authentication.ts';
import { errorShape } from './free/error-shape.ts';
import { headerPrefix } from './free/header-prefix.ts';
import { keyBalance } from './free/key-balance.ts';
import { materials } from './free/materials.ts';
import { modelList } from './free/models.ts';
import { openapi } from './free/openapi.ts';
import { pollPaths } from './free/poll-paths.ts';
import { publicEndpoints } from './free/public-endpoints.ts';
import { reachable } from './free/reachable.ts';
import { readiness } from './free/readiness.ts';
import { voices } from './free/voices.ts';
import { wallet } from './free/wallet.ts';
import { chat } from './paid/chat.ts';
import { conflict } from './paid/conflict.ts';
import { download } from './paid/download.ts';
import { imageTask } from './paid/image-task.ts';
import { replay } from './paid/replay.ts';
import { stream } from './paid/stream.ts';
import type { Check } from './run/check.ts';

/** Runs a check. Returns its output; undefined if it was skipped, or ended before it had one. */
export type RunCheck = <Output>(check: Check<Output>) => Promise<Output | undefined>;

/**
 * Runs all checks in order. Results that later checks need are passed on here. `DiagnosisContext` lists what else they
 * share.
 */
export async function runChecks(run: RunCheck): Promise<void> {
  await run(reachable);
  const account = await run(authentication);
  await run(readiness);
  await run(wallet(account));
  await run(keyBalance);
  const models = await run(modelList);
  await run(headerPrefix);
  await run(errorShape);
  await run(pollPaths);
  await run(publicEndpoints);
  await run(materials);
  await run(voices);
  await run(openapi);
  const chatModel = await run(chat(models));
  await run(stream(models, chatModel));
  const paidTask = await run(imageTask(models));
  await run(replay(paidTask));
  await run(conflict(paidTask));
  await run(download(paidTask?.result));
}
