import type { VoiceCloneParams, VoiceDesignParams } from '../../src/index.ts';

/** Request bodies with all documented fields. */
export const allCloneFields = {
  audio_url: 'https://files.example/ann.mp3',
  text: 'Ahoy 👋 there',
  preview_text: 'Land in sight',
  display_name: 'Ann',
  name: 'Annie',
  language: 'English',
  description: 'A calm sailor',
  noise_reduction: true,
  need_volume_normalization: false,
  accuracy: 0.8,
} satisfies VoiceCloneParams;
export const allDesignFields = {
  prompt: 'An old sailor',
  preview_text: 'Ahoy 👋',
  text: 'Ahoy',
  display_name: 'Old Tom',
  name: 'Tom',
  language: 'Chinese (Mandarin)',
  description: 'Rough and kind',
} satisfies VoiceDesignParams;
