import { signal } from '@preact/signals';

import type { FaultMode, LabState } from '../../shared/lab.ts';
import { announce } from './announce.ts';

/** What the server sees of the gateway; undefined until it has told. */
export const lab = signal<LabState | undefined>(undefined);

/** Whether the server still talks to this page. */
export const connected = signal(true);

/** Listens to the server; the browser connects again by itself. */
export function listenToLab(): void {
  const events = new EventSource('/api/lab/events');
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    // Our own server wrote it, from the same type.
    const state: LabState = JSON.parse(data);
    lab.value = state;
    connected.value = true;
  });
  events.addEventListener('error', () => {
    connected.value = false;
  });
}

/** Turns one of the switches. */
export async function turn(id: string, title: string, mode: FaultMode): Promise<void> {
  await fetch('/api/lab/switch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, mode }),
  });
  announce(`${title}: ${mode}`);
}
