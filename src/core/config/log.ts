/** How much is logged: each level includes those before it. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** Where messages go; `console` fits. */
export interface Logger {
  /** Something of yours failed, such as a callback. */
  error(message: string): void;
  /** Something was tried again. */
  warn(message: string): void;
  /** Something was charged. */
  info(message: string): void;
  /** Every attempt. */
  debug(message: string): void;
}

/** The levels in order. */
export const logLevels = ['off', 'error', 'warn', 'info', 'debug'] as const;

/** The client's own log: a message is only put together where it is shown. */
export type Log = { readonly [Level in keyof Logger]: (message: () => string) => void };

/** A log that is silent above its level. */
export function createLog(logger: Logger, level: LogLevel): Log {
  const allowed = logLevels.indexOf(level);
  const at = (name: Exclude<LogLevel, 'off'>) =>
    logLevels.indexOf(name) <= allowed
      ? (message: () => string) => logger[name](`polygate: ${message()}`)
      : () => undefined;
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
