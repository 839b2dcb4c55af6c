import { ConfigurationError } from '../../errors/configuration.ts';
import type { Receipt, TaskKind } from '../../schemas/task.ts';
import type { PollHeaders } from '../call/request-options.ts';
import { fillPath } from '../http/path.ts';
import { parseReceipt } from './receipt.ts';
import { Task } from './task.ts';
import type { TaskScope } from './task.ts';

/**
 * The handle of a task that was submitted before, from its id or receipt. Sends nothing.
 *
 * @throws {@link ConfigurationError} when the id or the receipt is invalid, or the receipt is for another kind.
 */
export function openTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  idOrReceipt: string | Receipt,
  pollHeaders?: PollHeaders,
): Task<Kind> {
  if (typeof idOrReceipt === 'string') {
    fillPath('{id}', { id: idOrReceipt });
    return new Task(scope, { id: idOrReceipt, pollHeaders });
  }
  const { kind, v: _, ...details } = parseReceipt(idOrReceipt);
  if (kind !== scope.kind) {
    throw new ConfigurationError(
      `receipt: its kind is ${kind}, not ${scope.kind}. Use gateway.resume(receipt).`,
    );
  }
  fillPath('{id}', { id: details.id });
  return new Task(scope, { ...details, pollHeaders });
}
