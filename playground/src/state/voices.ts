import { signal } from '@preact/signals';
import type { Voice, VoiceCloneParams, VoiceCreation, VoiceDesignParams } from 'polygate';

import { toProblem } from '../../shared/problem.ts';
import { announce } from './announce.ts';
import { createKey } from './api-call.ts';
import type { ApiCall, Creation } from './api-call.ts';
import { gateway } from './client.ts';

/** All voices of the service and the account. */
export const voices = signal<readonly Voice[]>([]);

/** Whether the voices have not been loaded yet. */
export const areVoicesLoading = signal(true);

/** State of the current or last creation. */
export const voiceCreation = signal<Creation>({ isBusy: false });

/** Loads the voices. */
export async function loadVoices(): Promise<void> {
  const list = await gateway.voices.list().catch(() => undefined);
  areVoicesLoading.value = false;
  if (list !== undefined) voices.value = list.data;
}

/** Clones a voice from a recording. */
export function cloneVoice(params: VoiceCloneParams): Promise<void> {
  const idempotencyKey = createKey();
  const call = { kind: 'voice-clone', params, idempotencyKey } as const;
  return create(gateway.voices.clone(params, { idempotencyKey }), call);
}

/** Designs a voice from a description. */
export function designVoice(params: VoiceDesignParams): Promise<void> {
  const idempotencyKey = createKey();
  const call = { kind: 'voice-design', params, idempotencyKey } as const;
  return create(gateway.voices.design(params, { idempotencyKey }), call);
}

/** A failed creation is not sent again: the service does not guarantee idempotency for voices. */
async function create(creation: PromiseLike<VoiceCreation>, call: ApiCall): Promise<void> {
  voiceCreation.value = { isBusy: true };
  try {
    const { voice } = await creation;
    const text = `The voice ${voice.display_name} is ready.`;
    announce(text);
    voiceCreation.value = { isBusy: false, done: { text, call } };
    await loadVoices();
  } catch (error) {
    voiceCreation.value = { isBusy: false, problem: toProblem(error) };
  }
}
