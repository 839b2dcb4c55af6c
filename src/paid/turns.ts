/** The requests of one route. */
interface RouteTurn {
  /** The request whose turn it is. */
  active: string | undefined;
  /** Whether it is being sent. If not, it may wait for a slot. */
  isSending: boolean;
  /** Those that wait, in their order, and what wakes each. */
  readonly waiting: Map<string, () => void>;
  /** Those of them that wait right before they are sent. They hold a slot, so they come first. */
  readonly ready: Set<string>;
}

/**
 * Sends requests of which nothing is known about their price one at a time, until the first one of their route has a
 * response. Twenty parallel videos could otherwise pass a limit that covers none of them.
 */
export class RouteTurns {
  readonly #turns = new Map<string, RouteTurn>();
  /** The routes that have had a response. */
  readonly #answered = new Set<string>();

  /**
   * What a request waits for before it tries again; undefined if it is its turn, or turns are over. Right before it is sent
   * (`isSending`), it waits only for one that is being sent: any other may wait for the slot that this one holds.
   */
  wait(route: string, request: string, isSending: boolean): Promise<void> | undefined {
    if (this.#answered.has(route)) return undefined;
    const turn: RouteTurn = this.#turns.get(route) ?? {
      active: undefined,
      isSending: false,
      waiting: new Map(),
      ready: new Set(),
    };
    this.#turns.set(route, turn);
    if (turn.active === undefined || (isSending && !turn.isSending)) turn.active = request;
    if (turn.active === request) {
      turn.isSending ||= isSending;
      return undefined;
    }
    if (isSending) turn.ready.add(request);
    return new Promise((resolve) => void turn.waiting.set(request, resolve));
  }

  /** A request has a response. */
  answer(route: string): void {
    if (this.#answered.has(route)) return;
    this.#answered.add(route);
    const turn = this.#turns.get(route);
    this.#turns.delete(route);
    for (const wake of turn?.waiting.values() ?? []) wake();
  }

  /**
   * The hooks of a request run, whose own requests must not wait for it. Those that wait already still do, until it has ended
   * or one of these has.
   */
  pause(route: string, request: string): void {
    const turn = this.#turns.get(route);
    if (turn?.active !== request) return;
    turn.active = undefined;
    turn.isSending = false;
  }

  /** An attempt has failed, perhaps without a response. Only the next one is woken, because all others would wait again. */
  leave(route: string, request: string): void {
    const turn = this.#turns.get(route);
    if (turn === undefined) return;
    turn.waiting.delete(request);
    turn.ready.delete(request);
    this.pause(route, request);
    if (turn.active !== undefined) return;
    const [next] = [...turn.ready, ...turn.waiting.keys()];
    if (next === undefined) return void this.#turns.delete(route);
    const wake = turn.waiting.get(next);
    turn.active = next;
    turn.waiting.delete(next);
    turn.ready.delete(next);
    wake?.();
  }
}
