/** How much is logged: each level includes those before it. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** Where messages go; `console` fits. */
export interface Logger {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

/** The levels in order. */
export const logLevels = ['off', 'error', 'warn', 'info', 'debug'] as const;

/** A logger that is silent above its level. */
export function levelled(logger: Logger, level: LogLevel): Logger {
  const allowed = logLevels.indexOf(level);
  const at = (name: Exclude<LogLevel, 'off'>) =>
    logLevels.indexOf(name) <= allowed
      ? (message: string) => logger[name](`polygate: ${message}`)
      : () => undefined;
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
