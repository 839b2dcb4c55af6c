/** Types that the playground's server and its page share. */

/** How often a fault occurs; `often` is every second attempt of each call, starting with the first. */
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
  /** The request id that the caller chose, or the one in the response. Retries have the same one. */
  requestId?: string | undefined;
  /** The task or material that the request created or read. */
  resourceId?: string | undefined;
  state: AttemptState;
  status?: number | undefined;
  /** The error code in the response. */
  code?: string | undefined;
  /** Time until the response headers arrived, in milliseconds. */
  headersMs?: number | undefined;
  /** Time until the attempt ended, in milliseconds. */
  ms?: number | undefined;
  /** The charge that the response reports. That of a replay is the charge of the earlier attempt. */
  reportedUsd?: number | undefined;
  /** What this attempt was charged: by the invoice, or by the response if the gateway has no invoice endpoint. */
  chargedUsd?: number | undefined;
  /** What was refunded of it. */
  refundedUsd?: number | undefined;
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
  requestId: string;
  kind: 'charge' | 'refund';
}

/** The wallet of the reference gateway. */
export interface LabWallet {
  usd: number;
  /** The balance after a reset. */
  startUsd: number;
  /** Time of the last reset in Unix milliseconds. */
  resetAt?: number | undefined;
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
  /** Undefined with a real gateway, whose wallet the page must not change. */
  wallet?: LabWallet | undefined;
}

/** A recorded body. */
export interface RecordedBody {
  /** Undefined if the body is media, which is not recorded. */
  text?: string | undefined;
  /** The complete size in bytes. */
  bytes: number;
  contentType: string;
  /** Whether the text is only the beginning of the body. */
  isCut: boolean;
}

/** Headers by name. Secrets are hidden. */
export type RecordedHeaders = Readonly<Record<string, string>>;

/** What was sent and received in one attempt. */
export interface Exchange {
  url: string;
  requestHeaders: RecordedHeaders;
  requestBody?: RecordedBody | undefined;
  /** Undefined if no response arrived. */
  responseHeaders?: RecordedHeaders | undefined;
  responseBody?: RecordedBody | undefined;
  /** Why no response arrived. */
  failure?: string | undefined;
}
