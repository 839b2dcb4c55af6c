import type { ConcurrencyMeta } from '../../wire/types/meta.ts';

/** How many requests may be in flight concurrently. */
export interface ConcurrencyWindow {
  /** Maximum number of requests in flight. */
  readonly size: number;
  /** The account's limit, as last reported. */
  readonly limit?: number | undefined;
  /** Whether no response has arrived yet, so that the size is a guess. */
  readonly initial?: boolean | undefined;
}

/** The window before the first response. */
export const initialWindow: ConcurrencyWindow = { size: 4, initial: true };

/**
 * The window after a response. A reported limit or `remaining` sets its size. Otherwise, the first response opens it
 * fully, and each later one grows it by one, up to the last known limit.
 */
export function windowAfterSuccess(
  window: ConcurrencyWindow,
  reported: ConcurrencyMeta,
  inFlight: number,
): ConcurrencyWindow {
  const { limit, remaining } = reported;
  const grown = window.initial || limit !== undefined ? Infinity : window.size + 1;
  const size = remaining === undefined ? grown : inFlight + Math.max(0, remaining);
  return resize(window, reported, size);
}

/** The window after a 429: what is in flight now. If the response reports no limit, half of that. */
export function windowAfterRejection(
  window: ConcurrencyWindow,
  reported: ConcurrencyMeta,
  inFlight: number,
): ConcurrencyWindow {
  const halved = Math.floor(Math.min(window.size, inFlight + 1) / 2);
  return resize(window, reported, reported.limit === undefined ? halved : inFlight);
}

/** The window with a new size, but at least 1 and at most the last known limit. */
function resize(
  window: ConcurrencyWindow,
  { limit = window.limit }: ConcurrencyMeta,
  size: number,
): ConcurrencyWindow {
  return { limit, size: Math.max(1, Math.min(limit ?? Infinity, size)) };
}
