import { ConfigurationError } from '../../errors/configuration.ts';
import type { Receipt, TaskKind } from '../../types/tasks/task.ts';
import type { PollHeaders } from '../call/request-options.ts';
import { fillPath } from '../http/path.ts';
import { parseReceipt } from './receipt.ts';
import type { TaskScope } from './task-scope.ts';
import { Task } from './task.ts';

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
  // An id is never JSON.
  const receipt =
    typeof idOrReceipt === 'string' && !idOrReceipt.startsWith('{')
      ? { id: idOrReceipt, kind: scope.kind }
      : parseReceipt(idOrReceipt);
  if (receipt.kind !== scope.kind) {
    throw new ConfigurationError(
      `receipt: its kind is ${receipt.kind}, not ${scope.kind}. Use gateway.resume(receipt).`,
    );
  }
  // Rejects ids that are unsafe in a path.
  fillPath('{id}', { ...receipt });
  return new Task(scope, { ...receipt, namesModel: true, ...pollHeaders });
}
