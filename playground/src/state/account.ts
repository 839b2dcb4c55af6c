import { effect, signal } from '@preact/signals';
import type { Account, Model } from 'polygate';

import { charges, gateway } from './client.ts';
import { lab } from './lab.ts';

/** The wallet; undefined until it has been asked for. */
export const account = signal<Account | undefined>(undefined);

/** The models of the key, with their prices. */
const models = signal<readonly Model[]>([]);

let timer: number | undefined;

/** Asks for the wallet after things have come to rest. */
function refreshAccount(): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void load(), account.value === undefined ? 0 : 400);
}

async function load(): Promise<void> {
  account.value = await gateway.account.retrieve().catch(() => account.value);
}

/** Keeps wallet and models up to date. */
export function watchAccount(): void {
  effect(() => {
    // A charge or a refund moves the wallet.
    void [charges.value.length, lab.value?.invoice?.length];
    refreshAccount();
  });
  void gateway.models.list().then(
    ({ data }) => {
      models.value = data;
    },
    () => {},
  );
}

/** What a model is for. Music and speech have one type and are told apart by what is counted. */
export type Purpose = 'chat' | 'image' | 'video' | 'speech' | 'music';

/** The models for a purpose. */
export function modelsFor(purpose: Purpose): readonly Model[] {
  return models.value.filter((model) => purposeOf(model) === purpose);
}

function purposeOf({ type, pricing }: Model): string {
  if (type !== 'audio') return type;
  return pricing?.profiles?.api?.billingUnit === 'character' ? 'speech' : 'music';
}
