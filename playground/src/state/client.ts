import { signal } from '@preact/signals';
import { Polygate } from 'polygate';
import type { Charge } from 'polygate';

import { backend } from '../backend/server.ts';

/** Warnings and errors that the client logged, such as retries. The latest comes last. */
export const logMessages = signal<readonly LogMessage[]>([]);

/** Charges that the gateway reported to this page. The latest comes last. */
export const charges = signal<readonly TimedCharge[]>([]);

/** Current use of concurrency slots. */
export const slots = signal<Slots>({ inFlight: 0, queued: 0 });

/** A log message of the client. */
export interface LogMessage {
  at: number;
  text: string;
}

/** A charge and its time. */
export interface TimedCharge extends Charge {
  at: number;
}

/** A snapshot of `gateway.concurrency`. */
export interface Slots {
  limit?: number | undefined;
  remaining?: number | undefined;
  source?: string | undefined;
  inFlight: number;
  queued: number;
}

const addLogMessage = (text: string) => {
  logMessages.value = [...logMessages.value, { at: Date.now(), text }].slice(-40);
};

const { fetch: send = globalThis.fetch, ...connection } = backend.client;

/** The client of this page. */
export const gateway = new Polygate({
  ...connection,
  onCharge: (charge) => {
    charges.value = [...charges.value, { ...charge, at: Date.now() }];
  },
  logger: { error: addLogMessage, warn: addLogMessage, info: () => {}, debug: () => {} },
  fetch: async (input, init) => {
    watchSlots();
    return send(input, init);
  },
});

let timer: number | undefined;

/** Takes snapshots of the live view until no request is in flight or queued. */
function watchSlots(): void {
  timer ??= window.setInterval(() => {
    const { limit, remaining, source, inFlight, queued } = gateway.concurrency;
    slots.value = { limit, remaining, source, inFlight, queued };
    if (inFlight + queued > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  }, 60);
}
