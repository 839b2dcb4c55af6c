/** An idempotency key that was charged. The service replays it, so that it is charged once. */
export interface CountedKey {
  /** Whether a replay has reported the charge, and the original response has not arrived. */
  readonly fromReplay: boolean;
  /** The body that was charged; undefined if it is not known. */
  readonly body?: string | undefined;
  /** Whether the service has charged the key again, so that it no longer protects from a second charge. */
  readonly isForgotten?: boolean | undefined;
  /** What counts in billionths of a USD because no response has reported the charge. */
  readonly estimate?: number | undefined;
}

/**
 * Whether a request with this price costs nothing because its key was charged. That holds only while the service keeps its
 * promise: for the body that was charged, and until the key is charged again without a replay. An estimate that is lower
 * than the price, because that was not known yet, does not cover the request.
 */
export function isFree(
  counted: CountedKey | undefined,
  nanoUsd: number,
  readBody: () => string,
): boolean {
  if (counted === undefined || counted.isForgotten === true) return false;
  if ((counted.estimate ?? Infinity) < nanoUsd) return false;
  return counted.body === undefined || counted.body === readBody();
}

/** A charge under a key. */
interface KeyCharge {
  readonly replay: boolean;
  /** Whether it can be the original response that a replay has repeated: its key is charged once, and it was sent before. */
  readonly mayBeOriginal: boolean;
  readonly body: string | undefined;
}

/**
 * Whether a charge counts already, and how its key is remembered. A replay of a counted key costs nothing. A replay whose
 * original response was lost counts, and the original costs nothing if it still arrives.
 */
export function countKey(
  counted: CountedKey | undefined,
  { replay, mayBeOriginal, body }: KeyCharge,
): { readonly isCounted: boolean; readonly key: CountedKey } {
  const isCounted = counted !== undefined && (replay || (mayBeOriginal && counted.fromReplay));
  return {
    isCounted,
    key: {
      fromReplay: replay && counted?.fromReplay !== false,
      body: (isCounted ? counted.body : undefined) ?? body,
      isForgotten: counted?.isForgotten === true || (counted !== undefined && !isCounted),
    },
  };
}
