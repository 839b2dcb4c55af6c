import { fold, mayBeCharged as isOpen, next, nextChat } from '../../paid/life.ts';
import type { Life, LifeStep } from '../../paid/life.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import type { Receipt } from '../../wire/types/tasks/task.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { chatPath, isChatPath } from './journal-line.ts';
import type { CostFields, Intent, RowLine } from './journal-line.ts';

/**
 * What earlier runs recorded about a row. Its {@link Intent} is that of the latest submission, and its `end` is known once the
 * caller has taken the result.
 */
export interface RowHistory extends Life, Partial<Omit<Intent, 'hash'>> {
  readonly end?: string | undefined;
  /** Receipt of the task, once a submission was accepted. */
  readonly receipt?: Receipt | undefined;
  /** Number of the line with the completion of a chat. Completions are read when their rows need them. */
  readonly completedAt?: number | undefined;
  /** What it has cost in all runs. */
  readonly cost?: RowCost | undefined;
  /** Whether the charge of its task or completion is known. */
  readonly isChargeKnown?: boolean | undefined;
  /** Whether the service has charged its key again, so that another submission may be charged, too. */
  readonly isKeyForgotten?: boolean | undefined;
  /** What its latest submission pays for, if its price was known. */
  readonly units?: PricedUnits | undefined;
  /** Number of the latest line. */
  readonly lineNumber?: number | undefined;
}

/** A history as a record of any paid request. What proves that a chat was accepted is its completion. */
export const lifeOf = (history: RowHistory): Life => ({
  ...history,
  receipt: history.receipt ?? history.completedAt,
});

/** Whether an earlier run may have paid for the row. If so, it must never be submitted under another key. */
export const mayBeCharged = (history: RowHistory): boolean => isOpen(lifeOf(history));

/** How the next run continues a row that may have been charged. */
export function nextOf(history: RowHistory): LifeStep {
  const life = lifeOf(history);
  const wanted = { hasParams: true };
  return isChatPath(history.path) ? nextChat(life, wanted) : next(life, wanted, 'key');
}

/** Whether a row is a chat that was sent, and whose completion is not in the journal. */
export const isLostChat = (history: RowHistory): boolean => nextOf(history) === 'chat_lost';

/**
 * The number of submissions of a row that were or may have been charged, and of which neither charge nor price is known. All
 * submissions of a task are charged once.
 */
export function unpricedSubmits(history: RowHistory): number {
  const { path, open = 0, completedAt, cost, isChargeKnown } = history;
  if (!mayBeCharged(history) || (cost?.estimatedUsd ?? 0) > 0) return 0;
  if (!isChatPath(path)) return isChargeKnown ? 0 : 1;
  // The `submit` line of a completion may be damaged.
  const charged = Math.max(open, completedAt === undefined ? 0 : 1);
  return charged - (isChargeKnown ? 1 : 0);
}

/** What is known about a row after one more line about it. */
export function addLine(before: RowHistory, line: RowLine, lineNumber: number): RowHistory {
  // Params can be large, and only a submission that is open or paused is ever resent from them.
  const { params, fallback, ...kept } = before;
  const history = { ...kept, lineNumber };
  switch (line.type) {
    case 'submit': {
      // A chat that is sent without a key may still be replayed under that of an earlier request.
      const { key = before.key, path, hash, params: sent, fallback: models } = line;
      const intent = { key, path, params: sent, fallback: models, units: readUnits(line) };
      const submitted = { ...history, ...intent };
      if (line.lost) return addLoss({ ...submitted, fingerprint: hash }, line);
      return fold({ ...submitted, cost: costAfter(before, line) }, { sent: hash });
    }
    case 'accepted': {
      const { receipt } = line;
      return fold({ ...history, ...readCharge(before, line, receipt) }, { receipt });
    }
    case 'completed':
      return { ...history, completedAt: lineNumber, path: chatPath, ...readCharge(before, line) };
    case 'refused': {
      // If two processes submit a task under one key, the one that is rejected knows nothing about the cost of the other, unless
      // the service says that none was charged.
      const isOther =
        (!line.void || before.isContested) &&
        !isChatPath(before.path) &&
        ((before.open ?? 0) > 1 || before.receipt);
      const cost = isOther ? before.cost : costAfter(before, line);
      const refused = { ...history, ...(line.paused && { params, fallback }), cost };
      return fold(refused, { money: line.void ? 'void' : 'none' });
    }
    case 'finished':
      return fold(history, { end: line.status });
  }
}

/** What is known about a submission that was lost, which has its own line already. */
function addLoss(before: RowHistory, line: CostFields): RowHistory {
  const open = Math.max(1, before.open ?? 0);
  const cost = costAfter(before, line);
  // It has its result: only a charge that was reported later counts.
  if (before.receipt || before.completedAt !== undefined) {
    const isLater = cost.chargedUsd > (before.cost?.chargedUsd ?? 0);
    return { ...before, open, cost: isLater ? cost : before.cost };
  }
  const isCharged = cost.chargedUsd > (before.cost?.chargedUsd ?? 0);
  return {
    ...before,
    open,
    cost,
    isChargeKnown: before.isChargeKnown === true || isCharged,
    isKeyForgotten: before.isKeyForgotten === true || (before.isChargeKnown && isCharged),
  };
}

function readCharge(
  before: RowHistory,
  line: CostFields,
  receipt?: Receipt,
): Pick<RowHistory, 'cost' | 'isChargeKnown'> {
  const cost = costAfter(before, line, receipt);
  const isKnown = line.usd !== undefined || (receipt?.chargeUsd ?? 0) > 0;
  return { cost, isChargeKnown: isKnown || cost === before.cost };
}

/**
 * The cost of a row after one more line. Two runs can send a task at the same time, and each knows only its own charges: a line
 * with less than was known before is that of the other one.
 */
function costAfter({ cost: before = noCost }: RowHistory, line: CostFields, receipt?: Receipt) {
  const cost = readCost(line, receipt);
  return cost.chargedUsd < before.chargedUsd ? before : cost;
}

/** What a row has cost in all runs, in USD. */
export interface RowCost {
  /** The sum of its charges. */
  readonly chargedUsd: number;
  /** The sum of the estimates for submissions whose charge is not known, because they may have been charged. */
  readonly estimatedUsd: number;
  /** The largest charge that a response has reported. It shows what such a submission costs. */
  readonly largestUsd: number;
}

export const noCost: RowCost = { chargedUsd: 0, estimatedUsd: 0, largestUsd: 0 };

/** The fields of a line for a cost. */
export function toCostFields({ chargedUsd, estimatedUsd, largestUsd }: RowCost): CostFields {
  return {
    usd: chargedUsd || undefined,
    estimatedUsd: estimatedUsd || undefined,
    largestUsd: largestUsd === chargedUsd ? undefined : largestUsd,
  };
}

/** The same for a line about a task or completion. A charge that is known to be 0 is not absent. */
export function toSettledFields(cost: RowCost, isChargeKnown: boolean): CostFields {
  const fields = toCostFields(cost);
  return isChargeKnown ? { ...fields, usd: cost.chargedUsd } : fields;
}

/** The cost of a row as of a line. An amount that was edited by hand must not make the row unreadable. */
function readCost({ usd, estimatedUsd, largestUsd }: CostFields, receipt?: Receipt): RowCost {
  const chargedUsd = amount(usd) ?? amount(receipt?.chargeUsd) ?? 0;
  return {
    chargedUsd,
    estimatedUsd: amount(estimatedUsd) ?? 0,
    // Earlier versions have recorded only the sum. Too much is safer than too little.
    largestUsd: amount(largestUsd) ?? chargedUsd,
  };
}

/** What a submission pays for. It only raises what other rows reserve, so a damaged one is ignored. */
function readUnits({ units }: { readonly units?: unknown }): PricedUnits | undefined {
  const { priceClass, units: count } = isRecord(units) ? units : {};
  const number = amount(count);
  return typeof priceClass === 'string' && number ? { priceClass, units: number } : undefined;
}

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined;

/**
 * What earlier runs recorded about the rows, until this run has planned them.
 *
 * The journal is read up to three times: when the run starts, after a new run was recorded, and when the journal was locked,
 * because another process may have worked on it before. A batch locks it at its first chat if nothing requires that earlier,
 * so rows can be in planning when it is read again: their history is recalled once more then. Rows that are planned are
 * not read again, because the later lines about them are those of this run.
 */
export class EarlierRows {
  #byId: Map<string, RowHistory> = new Map();
  #isRead = false;
  /** The rows that this run has read, and whether it still needs what is recorded about them. */
  readonly #read = new Map<string, 'planning' | 'planned'>();

  /** All rows that this run has not planned, by id. */
  get byId(): ReadonlyMap<string, RowHistory> {
    return this.#byId;
  }

  /** Whether these are the rows of the whole journal. False only while this run has not read any row. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** The rows that this run has not read. */
  get unread(): RowHistory[] {
    return Array.from(this.#byId)
      .filter(([id]) => !this.#read.has(id))
      .map(([, history]) => history);
  }

  /**
   * A reading of the journal begins, which adds to `rows`. Rows that are planned meanwhile need what was read before; if
   * there are none, one copy of a large journal is enough.
   */
  beginReading(rows: Map<string, RowHistory>): void {
    if (this.#read.size > 0) return;
    this.#byId = rows;
    this.#isRead = false;
  }

  /** The journal was read. What this run itself has recorded was not left by an earlier one. */
  endReading(rows: Map<string, RowHistory>): void {
    this.#byId = rows;
    this.#isRead = true;
    for (const [id, state] of this.#read) if (state === 'planned') rows.delete(id);
  }

  /** What is recorded about a row that is being planned. */
  recall(id: string): RowHistory {
    this.#read.set(id, 'planning');
    return this.#byId.get(id) ?? {};
  }

  /** Frees what is recorded about a row that was planned. */
  forget(id: string): void {
    this.#read.set(id, 'planned');
    this.#byId.delete(id);
  }

  /** Takes all rows, for a recovery. */
  takeAll(): [id: string, history: RowHistory][] {
    const rows = [...this.#byId];
    this.#byId.clear();
    return rows;
  }
}
