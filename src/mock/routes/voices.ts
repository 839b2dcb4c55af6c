import * as shapes from '../../wire/generated/index.ts';
import { voiceCloneBody, voiceDesignBody } from '../../wire/schemas/bodies.ts';
import type { VoiceDesignBody } from '../../wire/schemas/bodies.ts';
import type { VoiceCloneParams, VoiceCreation } from '../../wire/types/media/voices.ts';
import { keyedRequest, rejectConflict } from '../account/idempotency.ts';
import { formatUsd, countCharacters, voiceClonePrice, voiceDesignPrice } from '../account/money.ts';
import { defineEndpoint, defineJsonEndpoint, documented } from '../http/endpoint.ts';
import type { RequestContext, TagDocs } from '../http/endpoint.ts';
import { invalidParameter, json } from '../http/response.ts';
import type { MockResponse } from '../http/response.ts';
import { requiredText } from '../http/validate.ts';
import type { VoiceState } from '../state.ts';
import { visibleVoices, previewUrl, privateVoiceRecord } from '../voices.ts';

const errors = [400, 401, 402, 403, 409, 413, 429, 503];

const creation =
  'The new voice is private and can be used immediately. Every request is charged, even with a reused `x-idempotency-key`.';

const errorCodes = { 400: ['invalid_request_parameter', 'invalid_idempotency_key'] };

/** Specification: Audio; Voice; Voice creation result. */
const voicesDocs: TagDocs = {
  tag: { name: 'Voices', description: 'System, cloned and designed voices for speech.' },
  schemas: {
    Voice: {
      schema: shapes.voice,
      description: 'A voice for speech.',
      example: {
        voice_id: 'calm-narrator',
        display_name: 'Calm narrator',
        language: 'English',
        description: 'Warm and slow',
        source_type: 'system',
        visibility: 'public',
        status: 'active',
        compatible_models: ['echo-speech'],
        preview_audio_url: null,
        created_at: '2026-01-01T00:00:00.000Z',
      },
      keywords: shapes.voiceKeywords,
      closed: ['source_type', 'visibility'],
    },
    VoiceList: {
      schema: shapes.voiceListRecord,
      description: 'A list of voices.',
    },
    VoiceCloneRequest: {
      schema: voiceCloneBody,
      description: 'Voice clone parameters.',
      keywords: shapes.voiceCloneParamsKeywords,
    },
    VoiceDesignRequest: {
      schema: voiceDesignBody,
      description: 'Voice design parameters. `preview_text` or its alias `text` is required.',
      keywords: shapes.voiceDesignParamsKeywords,
      fields: { prompt: { minLength: 1 } },
    },
    VoiceCreation: {
      schema: shapes.voiceCreation,
      description: 'A new voice with its billing information.',
      keywords: shapes.voiceCreationKeywords,
      closed: ['billing_contract.operation'],
    },
  },
};

/** Specification: Audio. */
export const voiceRoutes = documented(voicesDocs, [
  defineEndpoint({
    method: 'GET',
    path: '/v1/audio/voices',
    summary: 'List voices',
    id: 'listVoices',
    description:
      'Lists system voices and your own private voices. Listing voices is free of charge.',
    query: { model: 'Speech model id. Return only voices that are compatible with it.' },
    responses: { 200: ['The voices that you can use.'] },
    responseSchema: shapes.voiceListRecord,
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
    id: 'cloneVoice',
    description: `Creates a voice from a recording. ${creation} Price: 1.5 USD per voice and 0.0003 USD per Unicode character of \`text\`.`,
    examples: {
      'Cloned voice': {
        audio_url: 'https://files.example/ann.mp3',
        text: 'Land in sight',
        display_name: 'Ann',
      },
    },
    responses: { 200: ['The new voice.'] },
    errorCodes,
    usesSlot: true,
    body: voiceCloneBody,
    responseSchema: shapes.voiceCreation,
    errors,
    handle: cloneVoice,
  }),
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/audio/voices/design',
    summary: 'Design a voice',
    id: 'designVoice',
    description: `Creates a voice from a description. ${creation} Price: 3 USD per voice and 0.00003 USD per Unicode character of the preview text.`,
    examples: { 'Designed voice': { prompt: 'An old sailor', preview_text: 'Land in sight' } },
    responses: { 200: ['The new voice.'] },
    errorCodes,
    usesSlot: true,
    body: voiceDesignBody,
    responseSchema: shapes.voiceCreation,
    errors,
    handle: designVoice,
  }),
]);

/** The values that differ between a clone and a design. */
interface VoiceOperation {
  source: VoiceState['source'];
  model: string;
  billingOperation: string;
  defaultName: string;
  priceUsd: number;
  facts: VoiceCreation['billing_contract']['facts'];
}

/**
 * Clones a voice. `text` takes precedence over `preview_text`. Specification: Voice clone body; Billing
 * formulas.
 */
function cloneVoice(context: RequestContext, body: VoiceCloneParams): MockResponse {
  const url = requiredText(body.audio_url, 'audio_url');
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw invalidParameter('`audio_url` must be an HTTP or HTTPS URL');
  }
  const count = countCharacters(body.text || body.preview_text || '');
  return createVoice(context, body, {
    source: 'voice_clone',
    model: 'echo-voice-clone',
    billingOperation: 'audio.voice_clone',
    defaultName: 'Cloned voice',
    priceUsd: voiceClonePrice(1, count),
    facts: { voice_clones: 1, preview_characters: count },
  });
}

/**
 * Designs a voice. `preview_text` takes precedence over `text`. Specification: Voice design body;
 * Billing formulas.
 */
function designVoice(context: RequestContext, body: VoiceDesignBody): MockResponse {
  requiredText(body.prompt, 'prompt');
  const preview = requiredText(body.preview_text || body.text, 'preview_text');
  const count = countCharacters(preview);
  return createVoice(context, body, {
    source: 'voice_design',
    model: 'echo-voice-design',
    billingOperation: 'audio.voice_design',
    defaultName: 'Designed voice',
    priceUsd: voiceDesignPrice(1, count),
    facts: { voice_designs: 1, preview_characters: count },
  });
}

function createVoice(
  context: RequestContext,
  body: VoiceCloneParams | VoiceDesignBody,
  operation: VoiceOperation,
): MockResponse {
  const { key, earlier, leave } = keyedRequest(context, operation.source, body);
  // The specification promises replay only for tasks. By default, a repeated request is charged again (A12).
  if (earlier !== undefined && context.services.assumptions.A12 === 'replay') {
    rejectConflict(context, earlier, body);
    const headers = creationHeaders(earlier.resourceId ?? '', earlier.chargeUsd);
    return json(200, earlier.response, { ...headers, 'x-svc-idempotent-replay': 'true' });
  }
  const taskId = context.services.makeId('task_');
  const chargeUsd = context.services.ledger.charge(context, {
    usd: operation.priceUsd,
    model: operation.model,
    idempotencyKey: key,
    taskId,
  });
  const voice = newVoice(context, body, operation);
  context.user.voices.set(voice.id, voice);
  const record = creationRecord(context, voice, operation, taskId);
  leave({ resourceId: taskId, chargeUsd, response: record });
  return json(200, record, creationHeaders(taskId, chargeUsd));
}

function creationHeaders(taskId: string, chargeUsd: number): Record<string, string> {
  return { 'x-svc-task-id': taskId, 'x-svc-charge-usd': formatUsd(chargeUsd) };
}

function newVoice(
  context: RequestContext,
  body: VoiceCloneParams | VoiceDesignBody,
  operation: VoiceOperation,
): VoiceState {
  return {
    id: context.services.makeId('voice_'),
    name: body.display_name ?? body.name ?? operation.defaultName,
    user: context.user,
    language: body.language ?? 'English',
    description: body.description ?? '',
    source: operation.source,
    createdAt: context.now,
  };
}

function creationRecord(
  context: RequestContext,
  voice: VoiceState,
  operation: VoiceOperation,
  taskId: string,
): VoiceCreation {
  const preview = previewUrl(context, voice.id);
  return {
    object: 'audio.voice',
    model: operation.model,
    task_id: taskId,
    voice_id: voice.id,
    preview_audio_url: preview,
    voice: privateVoiceRecord(context, voice),
    billing_contract: {
      billing_version: '2026.05',
      public_model: operation.model,
      operation: operation.billingOperation,
      settlement_policy: 'fixed_at_estimate',
      billing_stage: 'final',
      facts: operation.facts,
    },
    outputs: [{ url: preview, type: 'audio' }],
  };
}
