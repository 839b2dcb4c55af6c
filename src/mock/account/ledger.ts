import type { InvoiceLine } from '../exchange.ts';
import { GatewayError, insufficientBalanceMessage } from '../http/response/gateway-error.ts';
import type { Caller, Key, Task, User } from '../state.ts';
import { addUsd, roundUsd } from './money.ts';

/** The amount and the subject of a charge. */
export interface Charge {
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
