import type { PolygateOptions } from 'polygate';

/** Options of a client that collects its warnings. */
export function warningsOf() {
  const warnings: string[] = [];
  const ignore = () => undefined;
  const warn = (text: string) => void warnings.push(text);
  const logger = { debug: ignore, info: ignore, error: ignore, warn };
  return { warnings, logger, logLevel: 'warn' } satisfies PolygateOptions & { warnings: string[] };
}
