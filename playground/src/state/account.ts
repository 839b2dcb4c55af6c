import { computed, effect, signal } from '@preact/signals';
import type { Account, Model } from 'polygate';

import { charges, gateway } from './client.ts';
import { lab } from './lab.ts';

/** The account; undefined until it is loaded. */
export const account = signal<Account | undefined>(undefined);

/** The balance in USD: of the reference gateway's wallet itself, or as the account was last loaded. */
export const balanceUsd = computed(() => lab.value?.wallet?.usd ?? account.value?.balance.usd);

/** The models available to the key, with prices; undefined until they are loaded. */
const models = signal<readonly Model[] | undefined>(undefined);

/** Whether the models have not been loaded yet. */
export const areModelsLoading = computed(() => models.value === undefined);

let timer: number | undefined;

/** Reloads the account shortly after the last change. */
function scheduleReload(): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void load(), account.value === undefined ? 0 : 400);
}

async function load(): Promise<void> {
  account.value = await gateway.account.retrieve().catch(() => account.value);
}

/** Loads the models, and reloads the account whenever its balance may have changed. */
export function watchAccount(): void {
  effect(() => {
    // Charges and refunds change the balance, and so does the page itself.
    void [charges.value.length, lab.value?.invoice?.length, lab.value?.wallet?.usd];
    scheduleReload();
  });
  void loadModels();
}

/** Loads the models. The client has retried before it fails, so the next attempt is a while later. */
async function loadModels(): Promise<void> {
  try {
    models.value = (await gateway.models.list()).data;
  } catch {
    window.setTimeout(() => void loadModels(), 5000);
  }
}

/** What a model generates. Music and speech models have the same type and differ in their billing unit. */
export type Purpose = 'chat' | 'image' | 'video' | 'speech' | 'music';

/** Returns the models for a purpose. */
export function modelsFor(purpose: Purpose): readonly Model[] {
  return (models.value ?? []).filter((model) => purposeOf(model) === purpose);
}

function purposeOf({ type, pricing }: Model): string {
  if (type !== 'audio') return type;
  return pricing?.profiles?.api?.billingUnit === 'character' ? 'speech' : 'music';
}
