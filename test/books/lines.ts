import type { ModelName } from './orders.ts';

/** A charge of the service, and what a client can know about it. */
export interface Line {
  readonly usd: number;
  readonly key: string | undefined;
  readonly text: string;
  /** What the service has returned for the key: to the request itself, and to others as replays. */
  readonly texts: Set<string>;
  readonly model: ModelName;
  readonly units: number;
  /** What the request was expected to cost when it arrived; undefined if nothing was known. */
  readonly expectedUsd: number | undefined;
  /**
   * Why a book may have reserved nothing for it, although the service has charged its key before: the key was free, or
   * shares the reservation of a request whose outcome is not known yet.
   */
  excuse: 'none' | 'free' | 'shared';
  /** Which response has reported the charge. */
  reported: 'no' | 'directly' | 'by a replay';
  /** Whether its own response was a success. If the key seemed to be free, it may have been charged again. */
  hasResult: boolean;
  /** Whether a later response has said what the key costs. */
  isResolved: boolean;
  isInFlight: boolean;
}

/** The lines that exist only because the service has charged a key twice, and no book could know. */
export const excusedOf = (lines: readonly Line[]): readonly Line[] =>
  lines.filter((line) => {
    const isTwice = lines.some((other) => other !== line && other.key === line.key);
    // A request under the key of a lost one is charged, too, and its success ends what both have reserved.
    const isHidden = line.reported !== 'directly' && line.isResolved;
    return line.excuse !== 'none' || (line.key !== undefined && isTwice && isHidden);
  });
