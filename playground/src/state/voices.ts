import type { Voice, VoiceCloneParams, VoiceCreation, VoiceDesignParams } from 'polygate';
import { signal } from '@preact/signals';

import { announce } from './announce.ts';
import { gateway } from './client.ts';
import { problemOf } from './problem.ts';
import type { Problem } from './problem.ts';

/** Every voice that may speak. */
export const voices = signal<readonly Voice[]>([]);

/** What is being made, and what went wrong with the last one. */
export const voiceMaking = signal<{ busy: boolean; problem?: Problem | undefined }>({
  busy: false,
});

/** Asks for the voices. */
export async function loadVoices(): Promise<void> {
  const list = await gateway.voices.list().catch(() => undefined);
  if (list !== undefined) voices.value = list.data;
}

/** Clones a voice from a recording. */
export const cloneVoice = (params: VoiceCloneParams): Promise<boolean> =>
  make(gateway.voices.clone(params));

/** Designs a voice from words. */
export const designVoice = (params: VoiceDesignParams): Promise<boolean> =>
  make(gateway.voices.design(params));

/** Voices are not asked for twice: the service does not promise that a key protects them. */
async function make(creation: PromiseLike<VoiceCreation>): Promise<boolean> {
  voiceMaking.value = { busy: true };
  try {
    const { voice } = await creation;
    announce(`${voice.display_name} can speak now.`);
    voiceMaking.value = { busy: false };
    await loadVoices();
    return true;
  } catch (error) {
    voiceMaking.value = { busy: false, problem: problemOf(error) };
    return false;
  }
}
