/** Types that the playground's server and its page share. */

/** How often a fault occurs; `often` is every second time. */
export type FaultMode = 'off' | 'once' | 'often' | 'always';

/** One switch of the control room. */
export interface FaultSwitch {
  id: string;
  title: string;
  description: string;
  mode: FaultMode;
  /** How often the fault has occurred since the switch was set. */
  fired: number;
}

/** State of one HTTP request to the gateway. `lost` means that no response arrived. */
export type AttemptState = 'pending' | 'completed' | 'lost' | 'streaming' | 'truncated' | 'aborted';

/** One HTTP request to the gateway. Each retry is a separate attempt. */
export interface Attempt {
  number: number;
  /** Start of the request in Unix milliseconds. */
  at: number;
  method: string;
  path: string;
  /** The idempotency key that the gateway received. */
  key?: string | undefined;
  /** The request id that the page chose. Retries have the same one. */
  requestId?: string | undefined;
  /** The task or material that the request created or read. */
  resourceId?: string | undefined;
  state: AttemptState;
  status?: number | undefined;
  code?: string | undefined;
  /** Duration in milliseconds. */
  ms?: number | undefined;
  chargeUsd?: number | undefined;
  /** Whether the key matched an earlier task, so that nothing was charged. */
  replay: boolean;
}

/** One line of the gateway's invoice. */
export interface InvoiceLine {
  /** Unix milliseconds. */
  at: number;
  usd: number;
  model: string;
  route: string;
  /** The idempotency key that the gateway received. */
  key?: string | undefined;
  kind: 'charge' | 'refund';
}

/** What the server reports about the gateway. */
export interface LabState {
  /** Changes whenever the reference gateway restarts, which removes all tasks. */
  session: string;
  gateway: { kind: 'reference' | 'real'; host: string };
  /** Empty with a real gateway, because faults can only be injected into the reference gateway. */
  switches: FaultSwitch[];
  attempts: Attempt[];
  /** Undefined with a real gateway, which has no invoice endpoint. */
  invoice?: InvoiceLine[] | undefined;
}
