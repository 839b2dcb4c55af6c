import {
  voiceCloneBody,
  voiceDesignBody,
  voiceCreationRecord,
  voiceListRecord,
} from '../../wire/schemas/media/voices.ts';
import { defineEndpoint, defineJsonEndpoint } from '../http/endpoint.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { cloneVoice, designVoice } from '../voices/create.ts';
import { visibleVoices } from '../voices/library.ts';

const errors = [400, 401, 402, 403, 409, 413, 429, 503];

/** Specification: Audio. */
export const voiceRoutes = [
  defineEndpoint({
    method: 'GET',
    path: '/v1/audio/voices',
    summary: 'List voices',
    query: ['model'],
    responseSchema: voiceListRecord,
    errors: [400, 401, 403],
    handle: (context) => {
      const model = context.query.get('model');
      const { catalog } = context.services;
      const found = model === null ? undefined : catalog.find(model);
      if (model !== null && (found === undefined || !catalog.isSpeechModel(found))) {
        throw invalidParameter(`\`model\` is not a speech model: ${model}`);
      }
      const data = visibleVoices(context).filter(
        (voice) => model === null || voice.compatible_models.includes(model),
      );
      return json(200, { object: 'audio.voice.list', model, data });
    },
  }),
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/audio/voices/clone',
    summary: 'Clone a voice',
    usesSlot: true,
    body: voiceCloneBody,
    responseSchema: voiceCreationRecord,
    errors,
    handle: cloneVoice,
  }),
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/audio/voices/design',
    summary: 'Design a voice',
    usesSlot: true,
    body: voiceDesignBody,
    responseSchema: voiceCreationRecord,
    errors,
    handle: designVoice,
  }),
];
