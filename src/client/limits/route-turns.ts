/**
 * Sends calls of which nothing is known about their price one at a time, until the first one of their route has a
 * response. Twenty parallel videos could otherwise pass a limit that covers none of them.
 */
export class RouteTurns {
  /** By route, the call whose turn it is. */
  readonly #turns = new Map<string, Turn>();
  /** The routes that have had a response. */
  readonly #answered = new Set<string>();

  /** What a call waits for before it tries again; undefined if it is its turn, or turns are over. */
  wait(route: string, call: unknown): Promise<void> | undefined {
    if (this.#answered.has(route)) return undefined;
    const turn = this.#turns.get(route);
    if (turn === undefined) this.#turns.set(route, newTurn(call));
    return turn && turn.call !== call ? turn.ended : undefined;
  }

  /** A call has a response. */
  answer(route: string): void {
    this.#answered.add(route);
    this.#end(route);
  }

  /** A call has failed, perhaps without a response. */
  leave(route: string, call: unknown): void {
    if (this.#turns.get(route)?.call === call) this.#end(route);
  }

  #end(route: string): void {
    this.#turns.get(route)?.end();
    this.#turns.delete(route);
  }
}

interface Turn {
  readonly call: unknown;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

function newTurn(call: unknown): Turn {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { call, ended, end };
}
