import type { Receipt } from '../../../wire/types/tasks/task.ts';
import { chatPath, isChatPath } from './line.ts';
import type { Intent, RowLine } from './line.ts';
import { readCost } from './row-cost.ts';
import type { CostFields, RowCost } from './row-cost.ts';

/** What earlier runs recorded about a row. Its {@link Intent} is that of the latest submission. */
export interface RowHistory extends Partial<Intent> {
  /** Number of recorded submissions without a matching `refused` line. Each run refuses only its own. */
  readonly openSubmits?: number;
  /** Receipt of the task, once a submission was accepted. */
  readonly receipt?: Receipt | undefined;
  /** Number of the line with the completion of a chat. Completions are read when their rows need them. */
  readonly completedAt?: number | undefined;
  /** How the row ended, once the caller took the result. */
  readonly status?: string | undefined;
  /** What it has cost in all runs. */
  readonly cost?: RowCost | undefined;
  /** Whether the charge of its task or completion is known. */
  readonly isChargeKnown?: boolean | undefined;
  /** Number of the latest line. */
  readonly lineNumber?: number | undefined;
}

/** Whether an earlier run may have paid for the row. If so, it must never be submitted under another key. */
export function mayBeCharged({ openSubmits = 0, receipt, completedAt }: RowHistory): boolean {
  return openSubmits > 0 || receipt !== undefined || completedAt !== undefined;
}

/** Whether a row is a chat that was sent, and whose completion is not in the journal. */
export function isLostChat(history: RowHistory): boolean {
  return isChatPath(history.path) && mayBeCharged(history) && history.completedAt === undefined;
}

/**
 * The number of submissions of a row that were or may have been charged, and of which neither charge nor price is known. All
 * submissions of a task are charged once.
 */
export function unpricedSubmits(history: RowHistory): number {
  const { path, openSubmits = 0, completedAt, cost, isChargeKnown } = history;
  if (!mayBeCharged(history) || (cost?.estimatedUsd ?? 0) > 0) return 0;
  if (!isChatPath(path)) return isChargeKnown ? 0 : 1;
  // The `submit` line of a completion may be damaged.
  const charged = Math.max(openSubmits, completedAt === undefined ? 0 : 1);
  return charged - (isChargeKnown ? 1 : 0);
}

/** What is known about a row after one more line. */
export function addLine(before: RowHistory, line: RowLine, lineNumber: number): RowHistory {
  // Params can be large, and only a submission that is open or paused is ever resent from them.
  const { params, fallback, ...kept } = before;
  const { openSubmits = 0 } = before;
  const history = { ...kept, lineNumber };
  switch (line.type) {
    case 'submit': {
      // A chat that is sent without a key may still be replayed under that of an earlier request.
      const { key = before.key, path, hash } = line;
      const intent: Intent = { key, path, hash, params: line.params, fallback: line.fallback };
      return { ...history, ...intent, cost: readCost(line), openSubmits: openSubmits + 1 };
    }
    case 'accepted': {
      const { receipt } = line;
      return { ...history, receipt, ...readCharge(line, receipt) };
    }
    case 'completed':
      return { ...history, completedAt: lineNumber, path: chatPath, ...readCharge(line) };
    case 'refused': {
      // If two processes submit a task under one key, the one that is rejected knows nothing about the cost of the other.
      const isOther = !isChatPath(before.path) && (openSubmits > 1 || before.receipt !== undefined);
      return {
        ...history,
        ...(line.paused && { params, fallback }),
        cost: isOther ? before.cost : readCost(line),
        // If the `submit` line of a `refused` line is damaged, later submissions still count.
        openSubmits: Math.max(0, openSubmits - 1),
      };
    }
    case 'finished':
      return { ...history, status: line.status };
  }
}

function readCharge(
  line: CostFields,
  receipt?: Receipt,
): Pick<RowHistory, 'cost' | 'isChargeKnown'> {
  const isChargeKnown = line.usd !== undefined || (receipt?.chargeUsd ?? 0) > 0;
  return { cost: readCost(line, receipt), isChargeKnown };
}
