/** How much is logged: each level includes the levels before it. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** Receives log messages. `console` is a valid logger. */
export interface Logger {
  /** One of your callbacks threw an error, or a journal could not be written. */
  error(message: string): void;
  /**
   * A chat has another content type or shape than requested, or contains a status record; a request is retried; a journal
   * line is damaged; a batch pauses because the balance is insufficient; or a step of a row of the queue on Redis failed.
   */
  warn(message: string): void;
  /** A request was charged. */
  info(message: string): void;
  /** A response was received. */
  debug(message: string): void;
}

/** All levels, from quiet to verbose. */
export const logLevels = ['off', 'error', 'warn', 'info', 'debug'] as const;

/** The client's own log. Messages are functions, so that unlogged ones cost nothing. */
export type Log = { readonly [Level in keyof Logger]: (message: () => string) => void };

/** Creates a log that ignores messages above its level. A logger that throws or rejects has no effect on the caller. */
export function createLog(logger: Logger, level: LogLevel): Log {
  const allowed = logLevels.indexOf(level);
  const at = (name: keyof Logger) => (message: () => string) => {
    if (logLevels.indexOf(name) > allowed) return;
    const write = async (): Promise<void> => logger[name](`polygate: ${message()}`);
    write().catch(() => undefined);
  };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

/** Calls one of the user's callbacks. An error that it throws is logged and has no other effect. */
export function notify<Value>(
  log: Log,
  callback: ((value: Value) => void) | undefined,
  value: Value,
  name: string,
): void {
  if (!callback) return;
  const call = async (): Promise<void> => callback(value);
  call().catch((error: unknown) => {
    log.error(() => `${name} threw: ${error instanceof Error ? error.message : String(error)}`);
  });
}
