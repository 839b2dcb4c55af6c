import { ConflictError } from 'polygate';

import type { Check, Findings } from '../check.ts';
import type { PaidTask, DiagnosisContext } from '../context.ts';
import { messageOf, statusOf } from '../failure.ts';
import { resubmitFindings } from './charge-findings.ts';
import { resubmit } from './submit-image.ts';

/** Whether the same submit with the same key returns the same task, without a second charge. */
export const replay: Check = {
  id: 'replay',
  title: 'Idempotent replay',
  needs: 'key',
  async *run(context) {
    const { paidTask, spending } = context;
    if (paidTask === undefined) {
      yield { status: 'skipped', detail: 'No image was submitted that could be replayed.' };
      return;
    }
    const wasSent = paidTask.replay !== undefined;
    const problem = wasSent ? undefined : spending.problem(paidTask.priceUsd);
    if (problem !== undefined) {
      yield { status: 'skipped', detail: problem };
      return;
    }
    const again = paidTask.replay ?? (await resubmit(context, paidTask));
    paidTask.replay = again;
    const { task } = paidTask;
    const isSame = again.id === task.id;
    if (again.replayed && isSame) {
      yield { status: 'ok', detail: 'A reused key returns the same task without a second charge.' };
    } else if (isSame && !again.chargeUsd) {
      const detail =
        'A reused key returns the same task and reports no charge, although it is not marked as a replay.';
      yield { status: 'ok', detail };
    } else if (isSame) {
      yield {
        status: 'warning',
        detail:
          'A reused key returns the same task, but reports its charge again without marking it as a replay.',
        advice:
          'gateway.spend then counts the charge of a retried submit twice. Compare it with your account.',
      };
    } else {
      yield {
        status: 'failed',
        detail: 'A reused key creates a second task, so a retried submit is charged twice.',
        advice:
          'Report it to the operator: the specification guarantees idempotent replay. Until then, turn retries off.',
        option: { maxRetries: 0 },
      };
    }
    // The check that sent it has counted it.
    if (!wasSent) yield* resubmitFindings(context, paidTask, again);
    if (!isSame) spending.blockedBy = 'The service charges replays, so nothing more is spent.';
    else if (paidTask.route === 'generations') yield* defaultRoute(context, paidTask);
  },
};

/**
 * Sends the same submit over the client's default route, which the image task does not use. It is free if the service
 * shares keys between the routes.
 */
async function* defaultRoute(context: DiagnosisContext, paidTask: PaidTask): Findings {
  const about = { aspect: 'route', title: 'Default route of images' };
  const problem = context.spending.problem(paidTask.priceUsd);
  if (problem !== undefined) {
    yield { ...about, status: 'skipped', detail: problem };
    return;
  }
  try {
    const again = await resubmit(context, { ...paidTask, route: 'tasks' });
    yield { ...about, status: 'ok', detail: 'POST /v1/images/tasks accepts images.' };
    yield* resubmitFindings(context, paidTask, again);
  } catch (error) {
    if (ConflictError.is(error)) {
      const detail = 'POST /v1/images/tasks exists, and rejects a key of another route.';
      yield { ...about, status: 'ok', detail };
      return;
    }
    if (![404, 405].includes(statusOf(error) ?? 0)) throw error;
    yield {
      ...about,
      status: 'failed',
      detail: `POST /v1/images/tasks, which the client uses by default, does not exist. ${messageOf(error)}`,
      advice: "Pass { route: 'generations' } to the methods of gateway.images.",
    };
  }
}
