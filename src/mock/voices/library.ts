import type { Model } from '../../schemas/models.ts';
import type { Voice } from '../../schemas/voices.ts';
import type { VoiceState } from '../account/state.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { systemVoices } from './system-voices.ts';
import type { SystemVoice } from './system-voices.ts';

/** Creation time of all system voices. */
const systemVoicesCreatedAt = '2026-01-01T00:00:00.000Z';

/** Every voice that the caller can use: system voices and the caller's own. Specification: Voice. */
export function visibleVoices(call: RequestContext): Voice[] {
  const own = Array.from(call.user.voices.values(), (voice) => privateVoiceRecord(call, voice));
  return [...systemVoices.map((voice) => systemVoiceRecord(call, voice)), ...own];
}

/**
 * Rejects a voice that is not visible to the caller or not compatible with the model.
 * Specification: Codes.
 */
export function checkVoice(call: RequestContext, id: string, model: Model, field: string): void {
  const voice = visibleVoices(call).find((entry) => entry.voice_id === id);
  if (voice === undefined) {
    throw invalidParameter(`\`${field}\` is not a voice that you can use: ${id}`);
  }
  if (voice.compatible_models.includes(model.id)) return;
  throw invalidParameter(`\`${field}\` is not compatible with model ${model.id}: ${id}`);
}

/** The record of a private voice. */
export function privateVoiceRecord(call: RequestContext, voice: VoiceState): Voice {
  return {
    voice_id: voice.id,
    display_name: voice.name,
    language: voice.language,
    description: voice.description,
    source_type: voice.source,
    visibility: 'private',
    status: 'active',
    compatible_models: speechModels(call),
    preview_audio_url: previewUrl(call, voice.id),
    created_at: new Date(voice.createdAt).toISOString(),
  };
}

/** URL of a voice's audio preview. */
export function previewUrl(call: RequestContext, voiceId: string): string {
  return `${call.origin}/previews/voices/${encodeURIComponent(voiceId)}`;
}

function systemVoiceRecord(call: RequestContext, voice: SystemVoice): Voice {
  const models = speechModels(call);
  return {
    voice_id: voice.id,
    display_name: voice.name,
    language: voice.language,
    description: voice.description,
    source_type: 'system',
    visibility: 'public',
    status: 'active',
    compatible_models: models.filter((id) => voice.models?.includes(id) ?? true),
    preview_audio_url: previewUrl(call, voice.id),
    created_at: systemVoicesCreatedAt,
  };
}

function speechModels(call: RequestContext): string[] {
  const { catalog } = call.services;
  return catalog.models.filter((model) => catalog.isSpeechModel(model)).map((model) => model.id);
}
