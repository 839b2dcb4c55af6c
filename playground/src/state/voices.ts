import { signal } from '@preact/signals';
import type { Voice, VoiceCloneParams, VoiceCreation, VoiceDesignParams } from 'polygate';

import { announce } from './announce.ts';
import { gateway } from './client.ts';
import { toProblem } from './problem.ts';
import type { Problem } from './problem.ts';

/** All voices of the service and the account. */
export const voices = signal<readonly Voice[]>([]);

/** State of the current or last creation. */
export const voiceCreation = signal<{ busy: boolean; problem?: Problem | undefined }>({
  busy: false,
});

/** Loads the voices. */
export async function loadVoices(): Promise<void> {
  const list = await gateway.voices.list().catch(() => undefined);
  if (list !== undefined) voices.value = list.data;
}

/** Clones a voice from a recording. */
export const cloneVoice = (params: VoiceCloneParams): Promise<boolean> =>
  create(gateway.voices.clone(params));

/** Designs a voice from a description. */
export const designVoice = (params: VoiceDesignParams): Promise<boolean> =>
  create(gateway.voices.design(params));

/** A failed creation is not sent again: the service does not guarantee idempotency for voices. */
async function create(creation: PromiseLike<VoiceCreation>): Promise<boolean> {
  voiceCreation.value = { busy: true };
  try {
    const { voice } = await creation;
    announce(`The voice ${voice.display_name} is ready.`);
    voiceCreation.value = { busy: false };
    await loadVoices();
    return true;
  } catch (error) {
    voiceCreation.value = { busy: false, problem: toProblem(error) };
    return false;
  }
}
