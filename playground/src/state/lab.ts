import { signal } from '@preact/signals';

import type { FaultMode, LabState } from '../../shared/lab.ts';
import { announce } from './announce.ts';

/** The server's view of the gateway; undefined until the first event. */
export const lab = signal<LabState | undefined>(undefined);

/** Whether the page is connected to its server. */
export const connected = signal(true);

/** Subscribes to the server's events. `EventSource` reconnects by itself. */
export function listenToLab(): void {
  const events = new EventSource('/api/lab/events');
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    // Trusted without validation: the playground's own server sends this type.
    const state: LabState = JSON.parse(data);
    lab.value = state;
    connected.value = true;
  });
  events.addEventListener('error', () => {
    connected.value = false;
  });
}

/** Sets one switch of the control room. */
export async function setFault(id: string, title: string, mode: FaultMode): Promise<void> {
  await fetch('/api/lab/switch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, mode }),
  });
  announce(`${title}: ${mode}`);
}
