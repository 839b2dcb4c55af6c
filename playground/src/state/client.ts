import { Polygate } from 'polygate';
import type { Charge } from 'polygate';
import { signal } from '@preact/signals';

/** What the client said about its own retries, the latest last. */
export const notes = signal<readonly Note[]>([]);

/** Every charge that the gateway reported to this page, the latest last. */
export const charges = signal<readonly PaidCharge[]>([]);

/** Requests of this page that hold a slot at the gateway, and that wait for one. */
export const slots = signal<Slots>({ inFlight: 0, queued: 0 });

/** A message of the client's logger. */
export interface Note {
  at: number;
  text: string;
}

/** A charge, and when it was made. */
export interface PaidCharge extends Charge {
  at: number;
}

/** The account's concurrency, as the client sees it. */
export interface Slots {
  limit?: number | undefined;
  remaining?: number | undefined;
  source?: string | undefined;
  inFlight: number;
  queued: number;
}

const say = (message: string) => {
  const text = message.replace(/^polygate: /, '');
  notes.value = [...notes.value, { at: Date.now(), text }].slice(-40);
};

/** The client of this page. It has no key: the proxy on the page's own server adds it. */
export const gateway = new Polygate({
  apiKey: null,
  baseURL: '/api/gateway',
  onCharge: (charge) => {
    charges.value = [...charges.value, { ...charge, at: Date.now() }];
  },
  logger: { error: say, warn: say, info: () => {}, debug: () => {} },
  fetch: async (input, init) => {
    watchSlots();
    return fetch(input, init);
  },
});

let timer: number | undefined;

/** Looks at the live view for as long as something moves. */
function watchSlots(): void {
  timer ??= window.setInterval(() => {
    const { limit, remaining, source, inFlight, queued } = gateway.concurrency;
    slots.value = { limit, remaining, source, inFlight, queued };
    if (inFlight + queued > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  }, 60);
}
