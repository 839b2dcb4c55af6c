import { signal } from '@preact/signals';

import type { Exchange, FaultMode, LabState } from '../../shared/lab.ts';
import { backend } from '../backend/server.ts';
import { announce } from './announce.ts';

/** The lab's view of the gateway; undefined until the first event. */
export const lab = signal<LabState | undefined>(undefined);

/** Whether the page is connected to its server. */
export const connected = signal(true);

/** Subscribes to the state of the lab. */
export function listenToLab(): void {
  backend.listen((state) => {
    connected.value = state !== undefined;
    if (state !== undefined) lab.value = state;
  });
}

/** Sets one switch of the control room. */
export async function setFault(id: string, title: string, mode: FaultMode): Promise<void> {
  await post('switch', { id, mode });
  announce(`${title}: ${mode}`);
}

/** Removes the calls that have ended from the flight recorder. */
export async function clearRecorder(): Promise<void> {
  await post('clear');
  announce('The flight recorder is empty.');
}

/** Adds an amount in USD to the wallet of the reference gateway. */
export async function topUp(usd: number): Promise<boolean> {
  return post('top-up', { usd });
}

/** Restores the first balance and empties the invoice. Returns false while requests are in flight. */
export async function resetWallet(): Promise<boolean> {
  return post('reset');
}

/** Loads what was sent and received in an attempt; undefined if the lab has forgotten it. */
export async function loadExchange(number: number): Promise<Exchange | undefined> {
  const response = await backend.fetch(`/api/lab/attempts/${number}`).catch(() => undefined);
  if (response?.ok !== true) return undefined;
  // Trusted without validation: the playground's own lab sends this type.
  const exchange: Exchange = await response.json();
  return exchange;
}

async function post(path: string, body: object = {}): Promise<boolean> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await backend.fetch(`/api/lab/${path}`, init).catch(() => undefined);
  return response?.ok === true;
}
