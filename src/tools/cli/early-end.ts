/** Why a run ended early. */
export type EndReason = 'interrupted' | 'timeout';

const signals = { SIGINT: 130, SIGTERM: 143 } as const;

/** Ends a run early: on Ctrl-C, on SIGTERM and after a timeout. A second Ctrl-C ends the process immediately. */
export class EarlyEnd {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #listeners = new Map<NodeJS.Signals, () => void>();
  /** Undefined unless the run was ended early. */
  reason: EndReason | undefined;
  /** The exit code; undefined unless the run was ended early. */
  exitCode: number | undefined;

  constructor(timeoutMs?: number) {
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => {
        this.#end('timeout', 1);
      }, timeoutMs);
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const listener = (): void => {
        if (this.reason === 'interrupted') process.exit(signals[signal]);
        this.#end('interrupted', signals[signal]);
      };
      this.#listeners.set(signal, listener);
      process.on(signal, listener);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves some time after the run was ended early. */
  after(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.signal.addEventListener('abort', () => setTimeout(resolve, ms).unref(), { once: true });
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
  }

  #end(reason: EndReason, exitCode: number): void {
    this.reason = reason;
    this.exitCode = exitCode;
    const name = reason === 'timeout' ? 'TimeoutError' : 'AbortError';
    this.#controller.abort(new DOMException(reason, name));
  }
}
