/** What the server tells the page about its gateway: the two agree here. */

/** How often something goes wrong. */
export type FaultMode = 'off' | 'once' | 'often' | 'always';

/** One way to misbehave. */
export interface FaultSwitch {
  id: string;
  title: string;
  says: string;
  mode: FaultMode;
  /** How often it has happened since it was turned on. */
  fired: number;
}

/** How one HTTP request to the gateway went. */
export type AttemptState = 'waiting' | 'answered' | 'lost' | 'streaming' | 'cut' | 'left';

/** One HTTP request as it went to the gateway. Retries are attempts of their own. */
export interface Attempt {
  number: number;
  /** Unix milliseconds. */
  at: number;
  method: string;
  path: string;
  /** The idempotency key, as the gateway got it. */
  key?: string | undefined;
  /** The request id that the page chose; retries carry the same one. */
  call?: string | undefined;
  /** The task or material that it made or asked about. */
  thing?: string | undefined;
  state: AttemptState;
  status?: number | undefined;
  code?: string | undefined;
  ms?: number | undefined;
  chargeUsd?: number | undefined;
  /** Whether the key found an earlier task, and nothing was charged. */
  replay: boolean;
}

/** One line of the gateway's own bill. */
export interface Line {
  at: number;
  usd: number;
  model: string;
  route: string;
  key?: string | undefined;
  kind: 'charge' | 'refund';
}

/** Everything that the page shows about the gateway's side. */
export interface LabState {
  /** Another one after each start of a reference gateway: its tasks are gone then. */
  session: string;
  gateway: { kind: 'reference' | 'real'; host: string };
  /** Empty with a real gateway, which cannot be told to misbehave. */
  switches: FaultSwitch[];
  attempts: Attempt[];
  /** Undefined with a real gateway, which shows its bill to nobody. */
  invoice?: Line[] | undefined;
}
