import type { Model } from '../wire/types/catalog/models.ts';
import type { Voice } from '../wire/types/media/voices.ts';
import type { RequestContext } from './http/endpoint.ts';
import { invalidParameter } from './http/response.ts';
import type { VoiceState } from './state.ts';

/** Creation time of all system voices. */
const systemVoicesCreatedAt = '2026-01-01T00:00:00.000Z';

/** Returns every voice that the caller can use: system voices and private voices. Specification: Voice. */
export function visibleVoices(context: RequestContext): Voice[] {
  const own = Array.from(context.user.voices.values(), (voice) =>
    privateVoiceRecord(context, voice),
  );
  return [...systemVoices.map((voice) => systemVoiceRecord(context, voice)), ...own];
}

/**
 * Rejects a voice that is not visible to the caller or not compatible with the model.
 * Specification: Codes.
 */
export function checkVoice(context: RequestContext, id: string, model: Model, field: string): void {
  const voice = visibleVoices(context).find((entry) => entry.voice_id === id);
  if (voice === undefined) {
    throw invalidParameter(`\`${field}\` is not a voice that you can use: ${id}`);
  }
  if (voice.compatible_models.includes(model.id)) return;
  throw invalidParameter(`\`${field}\` is not compatible with model ${model.id}: ${id}`);
}

/** Creates the record of a private voice. */
export function privateVoiceRecord(context: RequestContext, voice: VoiceState): Voice {
  return {
    ...commonFields(context, voice),
    source_type: voice.source,
    visibility: 'private',
    created_at: new Date(voice.createdAt).toISOString(),
  };
}

function commonFields(context: RequestContext, voice: Omit<SystemVoice, 'models'>) {
  const { catalog } = context.services;
  const models = catalog.models.filter((model) => catalog.isSpeechModel(model));
  return {
    voice_id: voice.id,
    display_name: voice.name,
    language: voice.language,
    description: voice.description,
    status: 'active',
    compatible_models: models.map(({ id }) => id),
    preview_audio_url: previewUrl(context, voice.id),
  };
}

/** Returns the URL of a voice's audio preview. */
export function previewUrl(context: RequestContext, voiceId: string): string {
  return `${context.origin}/previews/voices/${encodeURIComponent(voiceId)}`;
}

function systemVoiceRecord(context: RequestContext, voice: SystemVoice): Voice {
  const fields = commonFields(context, voice);
  return {
    ...fields,
    source_type: 'system',
    visibility: 'public',
    compatible_models: fields.compatible_models.filter((id) => voice.models?.includes(id) ?? true),
    created_at: systemVoicesCreatedAt,
  };
}

/** A voice that every user can use. */
interface SystemVoice {
  id: string;
  name: string;
  language: string;
  description: string;
  /** Ids of the speech models that accept the voice. @defaultValue all speech models */
  models?: readonly string[];
}

/** The service's own voices. They are fictional, like the models. */
const systemVoices: readonly SystemVoice[] = [
  {
    id: 'calm-narrator',
    name: 'Calm Narrator',
    language: 'English',
    description: 'A warm, even voice for long texts',
  },
  {
    id: 'bright-host',
    name: 'Bright Host',
    language: 'English',
    description: 'A lively voice for shows and announcements',
  },
  {
    id: 'gentle-mandarin',
    name: 'Gentle Mandarin',
    language: 'Chinese (Mandarin)',
    description: 'A soft voice for stories',
  },
  {
    id: 'radio-tokyo',
    name: 'Radio Tokyo',
    language: 'Japanese',
    description: 'A newsreader voice for the basic speech model only',
    models: ['echo-speech'],
  },
];
