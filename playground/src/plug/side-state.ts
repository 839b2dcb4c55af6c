import type { InvoiceLine } from 'polygate/mock';

/** One HTTP request of a side, and what became of it. */
export interface PlugAttempt {
  /** `sent` until a response arrives, or is lost. */
  state: 'sent' | 'lost' | 'response';
  /** The idempotency key that was sent. */
  key?: string | undefined;
  /** The status of the response. */
  status?: number | undefined;
  /** Whether the gateway recognized the key. */
  isReplay?: boolean | undefined;
}

/** One side of the comparison. */
export interface SideState {
  attempts: readonly PlugAttempt[];
  /** The charges on the invoice of this side's gateway. */
  charges: readonly Pick<InvoiceLine, 'usd' | 'model' | 'at'>[];
  /** How the call ended for the program. */
  end?: { isError: boolean; text: string } | undefined;
}

/** What the drawing of the connection shows. */
export type Phase = 'idle' | 'sending' | 'working' | 'unplugged' | 'done' | 'stopped';

/** The state of a side before its request is sent. */
export const idle: SideState = { attempts: [], charges: [] };

/** What happens on the connection of a side. */
export function phaseOf({ attempts, charges, end }: SideState): Phase {
  const last = attempts.at(-1);
  if (last === undefined) return 'idle';
  if (end !== undefined) return end.isError ? 'stopped' : 'done';
  if (last.state === 'lost') return 'unplugged';
  if (last.state === 'response') return 'done';
  // The gateway charges when a request arrives; a request that it recognizes is not charged.
  return charges.length < attempts.length ? 'sending' : 'working';
}

/** What has been charged, in USD. */
export function totalOf({ charges }: SideState): number {
  return charges.reduce((sum, { usd }) => sum + usd, 0);
}

/** What the invoice of a side means, when its call has ended. */
export function verdictOf({ charges, end }: SideState): string {
  if (end === undefined) return '';
  switch (charges.length) {
    case 0:
      return 'not charged';
    case 1:
      return end.isError ? 'paid once, and reported' : 'paid once';
    case 2:
      return 'paid twice';
    default:
      return `paid ${charges.length} times`;
  }
}
