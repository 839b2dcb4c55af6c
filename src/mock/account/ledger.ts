import type { RequestContext } from '../http/request-context.ts';
import { addUsd, roundUsd } from './money.ts';
import type { InvoiceLine } from '../records.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import type { Key, Task, User } from './state.ts';

/** What a charge is for. */
export interface Charge {
  usd: number;
  model: string;
  idempotencyKey?: string | undefined;
  taskId?: string | undefined;
}

/** Every charge and refund, in order. */
export class Ledger {
  readonly lines: InvoiceLine[] = [];
  readonly #history: number;

  constructor(history: number) {
    this.#history = history;
  }

  /**
   * Takes the money out of the caller's wallet; 402 when there is not enough. What it took, USD.
   */
  charge(call: RequestContext, charge: Charge): number {
    const amount = roundUsd(charge.usd);
    const { user } = call;
    if (amount > user.balanceUsd) {
      throw new GatewayError(402, 'insufficient_balance', 'The wallet does not cover this request');
    }
    this.#move(user, call.key, -amount);
    this.#note({
      usd: amount,
      model: charge.model,
      route: call.route,
      idempotencyKey: charge.idempotencyKey,
      taskId: charge.taskId,
      requestId: call.requestId,
      kind: 'charge',
      user: user.name,
      at: call.now,
    });
    return amount;
  }

  /** Gives back what a task cost. */
  refund(task: Task): void {
    this.#move(task.user, task.key, task.chargeUsd);
    this.#note({
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

  #move(user: User, key: Key | undefined, amount: number): void {
    user.balanceUsd = addUsd(user.balanceUsd, amount);
    user.spentUsd = addUsd(user.spentUsd, -amount);
    if (key !== undefined) key.spentUsd = addUsd(key.spentUsd, -amount);
  }

  #note(line: InvoiceLine): void {
    this.lines.push(line);
    if (this.lines.length > this.#history) this.lines.shift();
  }
}
