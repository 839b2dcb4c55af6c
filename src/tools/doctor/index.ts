import { ConfigurationError } from 'polygate';
import type { Polygate } from 'polygate';

import { contextOf, sentKeys } from '../../internal.ts';
import { redactKeys } from '../../wire/types/redact-key.ts';
import type { DiagnoseOptions, Diagnosis } from './diagnosis.ts';
import { authentication, readiness, wallet, keyBalance } from './free/account.ts';
import { modelList, materials, voices } from './free/lists.ts';
import { pollPaths } from './free/poll-paths.ts';
import { openapi, publicEndpoints } from './free/public-endpoints.ts';
import { reachable } from './free/reachable.ts';
import { errorShape, headerPrefix } from './free/responses.ts';
import { chat, stream } from './paid/chat.ts';
import { download, imageTask } from './paid/image-task.ts';
import { conflict, replay } from './paid/reused-key.ts';
import { runCheck } from './run/check.ts';
import type { Check } from './run/check.ts';
import { DiagnosisContext } from './run/context.ts';
import { Findings } from './run/findings.ts';

/**
 * Checks whether a service behaves as the client assumes, and which options to set where it does not.
 *
 * Without `maxSpendUsd`, it sends only requests that are free and change nothing. With it, it adds paid requests
 * with the cheapest models, for at most that amount at the prices that the service lists, regardless of what the client
 * has spent before. The client's own `budget` does not apply to them; its `onCharge` and `spend` include them.
 *
 * Resolves even if the service fails or responds with nonsense: failures are findings. Each of the assumptions A1 to
 * A22 is the `assumption` of exactly one finding.
 *
 * @example
 * ```ts
 * const { checks } = await diagnose({ gateway, maxSpendUsd: 0.1 });
 * for (const { status, title, detail } of checks) console.log(status, title, detail);
 * ```
 *
 * @throws `ConfigurationError` if an option is invalid; and what `onStart` or `onCheck` throws.
 */
export async function diagnose({
  gateway,
  maxSpendUsd,
  signal,
  onStart,
  onCheck,
}: { gateway: Polygate } & DiagnoseOptions): Promise<Diagnosis> {
  if (typeof gateway?.withOptions !== 'function') {
    throw new ConfigurationError('gateway: must be a Polygate client.');
  }
  if (maxSpendUsd !== undefined && !(maxSpendUsd >= 0 && maxSpendUsd < Infinity)) {
    throw new ConfigurationError('maxSpendUsd: must be a number of at least 0.');
  }
  const keys = new Set<string>();
  const context = new DiagnosisContext(learningKeys(gateway, keys), maxSpendUsd, signal);
  const findings = new Findings(onCheck, (text) => redactKeys(text, [...keys], '(the API key)'));
  await runChecks((check) => runCheck(check, context, findings, onStart));
  const { spentUsd, unconfirmedUsd } = context.spending;
  return {
    ok: !signal?.aborted && findings.all.every(({ status }) => status !== 'failed'),
    spentUsd,
    ...(unconfirmedUsd > 0 && { unconfirmedUsd }),
    checks: findings.all,
  };
}

/** A client that collects the API keys that it sends: findings quote the service, which can repeat them in any response. */
function learningKeys(gateway: Polygate, keys: Set<string>): Polygate {
  const send = contextOf(gateway).fetch;
  return gateway.withOptions({
    fetch(input, init) {
      const headers = new Headers(input instanceof Request ? input.headers : init?.headers);
      for (const key of sentKeys((name) => headers.get(name))) keys.add(key);
      return send(input, init);
    },
  });
}

/**
 * Runs all checks in order. Results that later checks need are passed on here. `DiagnosisContext` lists what else they
 * share. `run` returns the output of a check; undefined if it was skipped, or ended before it had one.
 */
async function runChecks(
  run: <Output>(check: Check<Output>) => Promise<Output | undefined>,
): Promise<void> {
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

export { optionsOf } from './diagnosis.ts';
export type {
  CheckStatus,
  DiagnoseOptions,
  Diagnosis,
  DiagnosisCheck,
  SkipReason,
} from './diagnosis.ts';
