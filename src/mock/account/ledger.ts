import type { InvoiceLine } from '../gateway.ts';
import { GatewayError, insufficientBalanceMessage } from '../http/response.ts';
import type { Caller, Key, Task, User } from '../state.ts';
import { addUsd, roundUsd } from './money.ts';

/** The amount and the subject of a charge. */
interface Charge {
  usd: number;
  model: string;
  idempotencyKey?: string | undefined;
  taskId?: string | undefined;
}

/** All charges and refunds, in order. */
export class Ledger {
  readonly lines: InvoiceLine[] = [];
  readonly #history: number;
  readonly #onChange: () => void;

  constructor(history: number, onChange: () => void) {
    this.#history = history;
    this.#onChange = onChange;
  }

  /**
   * Charges the caller's wallet, or throws a 402 if the balance is insufficient. Returns the charged
   * amount in USD.
   */
  charge(caller: Caller, charge: Charge): number {
    const amount = this.checkBalance(caller, charge);
    const { user } = caller;
    this.#transfer(user, caller.key, -amount);
    caller.receipt.chargedUsd = addUsd(caller.receipt.chargedUsd ?? 0, amount);
    this.#addLine({
      usd: amount,
      model: charge.model,
      route: caller.route,
      idempotencyKey: charge.idempotencyKey,
      taskId: charge.taskId,
      requestId: caller.requestId,
      kind: 'charge',
      user: user.name,
      at: caller.now,
    });
    return amount;
  }

  /** Returns the amount in USD that a charge would take, or throws a 402 if the balance is insufficient. */
  checkBalance({ user }: Caller, { usd }: Charge): number {
    const amount = roundUsd(usd);
    if (amount <= user.balanceUsd) return amount;
    throw new GatewayError(402, 'insufficient_balance', insufficientBalanceMessage);
  }

  /** Refunds the charge of a task. */
  refund(task: Task): void {
    this.#transfer(task.user, task.key, task.chargeUsd);
    this.#addLine({
      usd: -task.chargeUsd,
      model: task.model,
      route: task.route,
      idempotencyKey: task.idempotencyKey,
      taskId: task.id,
      requestId: task.requestId,
      kind: 'refund',
      user: task.user.name,
      at: task.endsAt,
    });
  }

  #transfer(user: User, key: Key | undefined, amount: number): void {
    user.balanceUsd = addUsd(user.balanceUsd, amount);
    user.spentUsd = addUsd(user.spentUsd, -amount);
    if (key !== undefined) key.spentUsd = addUsd(key.spentUsd, -amount);
  }

  #addLine(line: InvoiceLine): void {
    this.lines.push(line);
    if (this.lines.length > this.#history) this.lines.shift();
    this.#onChange();
  }
}

/**
 * Checks that a key was charged exactly once; without a key, that every charge has a key and that no
 * key was charged twice. Returns undefined if so, otherwise a message with the relevant charges.
 * Refunds are ignored: they do not undo a double charge.
 */
export function paidOnceProblem(
  invoice: readonly InvoiceLine[],
  key: string | undefined,
): string | undefined {
  const charges = invoice.filter((line) => line.kind === 'charge');
  if (key !== undefined) {
    const matching = charges.filter((line) => line.idempotencyKey === key);
    return matching.length === 1 ? undefined : problem(`The key ${key}`, matching, charges);
  }
  for (const line of charges) {
    const { idempotencyKey, user } = line;
    if (idempotencyKey === undefined) {
      return `A charge has no idempotency key, so a duplicate cannot be detected:\n${formatLine(line)}`;
    }
    const matching = charges.filter(
      (other) => other.idempotencyKey === idempotencyKey && other.user === user,
    );
    if (matching.length !== 1) return problem(`The key ${idempotencyKey}`, matching, charges);
  }
  return charges.length === 0 ? 'Nothing was charged' : undefined;
}

function problem(subject: string, matching: InvoiceLine[], charges: InvoiceLine[]): string {
  const count = matching.length;
  if (count > 0) return `${subject} was charged ${count} times:\n${formatLines(matching)}`;
  if (charges.length === 0) return `${subject} was never charged; the invoice is empty`;
  return `${subject} was never charged; the invoice contains:\n${formatLines(charges)}`;
}

/** Maximum number of invoice lines in a message. */
const maxLines = 20;

function formatLines(lines: readonly InvoiceLine[]): string {
  const rest = lines.length - maxLines;
  const more = rest > 0 ? [`  … and ${rest} more`] : [];
  return [...lines.slice(0, maxLines).map(formatLine), ...more].join('\n');
}

function formatLine({ usd, model, route, idempotencyKey, taskId, requestId }: InvoiceLine): string {
  const key = idempotencyKey ?? 'no key';
  return `  $${usd} ${route} ${model}, ${key}, ${taskId ?? 'no task'}, ${requestId}`;
}
