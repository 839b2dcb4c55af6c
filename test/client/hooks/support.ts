import type { Hooks, PolygateOptions } from '../../../src/index.ts';
import { clientOf, completed, scripted, virtualClock } from '../support.ts';
import type { Reply } from '../support.ts';

export type BeforeRequest = NonNullable<Hooks['beforeRequest']>[number];

/** A client with these hooks whose requests get the reply. */
export function clientWith(reply: Reply, ...beforeRequest: BeforeRequest[]) {
  const { fetch, sent } = scripted(reply);
  return { gateway: clientOf(fetch, { hooks: { beforeRequest }, random: () => 0 }), sent };
}

/** Headers of a response to a paid request. */
export const paidHeaders = {
  'x-svc-charge-usd': '0.25',
  'x-request-id': 'r1',
  'x-svc-task-id': 'task_7',
};

/** A client with these hooks and a virtual clock that never retries. */
export function clientInVirtualTime(
  hooks: Hooks,
  reply: Reply = completed,
  options: PolygateOptions = {},
) {
  const { fetch, sent } = scripted(reply);
  const clock = virtualClock();
  const gateway = clientOf(fetch, { maxRetries: 0, ...options, clock, hooks });
  return { gateway, sent, clock };
}
