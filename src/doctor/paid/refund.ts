import type { Finding } from '../check.ts';
import type { PaidTask, DiagnosisContext } from '../context.ts';

/** Whether the wallet has the price of a failed task back. Assumption A15. */
export async function refundFinding(
  context: DiagnosisContext,
  { task }: PaidTask,
): Promise<Finding> {
  const { client, signal, spending } = context;
  const assumption = 'A15';
  const { data } = await context.read(client.account.retrieve({ signal }));
  const { balance }: { balance?: { usd?: unknown } } = data;
  const { chargeUsd } = task;
  const before = spending.walletUsd;
  if (typeof balance?.usd !== 'number' || before === Infinity || !chargeUsd) {
    return { assumption, status: 'skipped', detail: 'The balance does not show it.' };
  }
  // Other charges of this diagnosis are known. Those of other users of the account are not.
  const unexplained = before - balance.usd - (spending.spentUsd - chargeUsd);
  const detail =
    unexplained < chargeUsd / 2
      ? 'The balance shows that the failed task was refunded. gateway.spend still counts it.'
      : 'The balance shows no refund for the failed task.';
  return { assumption, status: 'ok', detail };
}
