import * as z from 'zod/mini';

import { musicBody, speechBody } from '../../wire/schemas/media/audio.ts';
import type { SpeechBody } from '../../wire/schemas/media/audio.ts';
import type { Model } from '../../wire/types/catalog/models.ts';
import { parseBody } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { musicPrice, speechPrice } from '../models/prices.ts';
import { checkVoice } from '../voices/library.ts';
import { numberBetween, requiredText } from './field-checks.ts';
import type { PricedGeneration } from './submit.ts';

/** The field that every audio body has. The model determines the other fields. */
export const audioBody = z.looseObject({ model: z.string() });

/** The music and speech bodies, for the OpenAPI document. */
export const documentedAudioBody = z.union([musicBody, speechBody]);

/** Audio file formats for speech. The specification gives two of them as examples. */
const formats = ['mp3', 'wav', 'flac', 'pcm', 'aac', 'opus'];

/** Validates and prices a music or speech generation. Specification: Audio. */
export function prepareAudio(
  context: RequestContext,
  body: z.infer<typeof audioBody>,
): PricedGeneration {
  const { catalog } = context.services;
  const model = catalog.getOfType(body.model, 'audio');
  return catalog.isSpeechModel(model)
    ? prepareSpeech(context, model, body)
    : prepareMusic(model, body);
}

function prepareMusic(model: Model, body: unknown): PricedGeneration {
  const { prompt } = parseBody(musicBody, body);
  return {
    model,
    prompt: requiredText(prompt, 'prompt'),
    count: 1,
    priceUsd: musicPrice(model, 1),
  };
}

function prepareSpeech(context: RequestContext, model: Model, body: unknown): PricedGeneration {
  const fields = parseBody(speechBody, body);
  const text = fields.text || fields.input || '';
  if (text === '') throw invalidParameter('`text` or `input` is required');
  numberBetween(fields.speed, 'speed', 0.5, 2);
  if (fields.format !== undefined && !formats.includes(fields.format.toLowerCase())) {
    throw invalidParameter(`\`format\` must be one of ${formats.join(', ')}`);
  }
  checkVoices(context, model, fields);
  return { model, prompt: text, count: 1, priceUsd: speechPrice(model, text) };
}

/**
 * Requires a voice in one of three fields. `voice` may contain any name, for compatibility with other
 * services.
 */
function checkVoices(context: RequestContext, model: Model, fields: SpeechBody): void {
  const weights = fields.timber_weights ?? [];
  if (!fields.voice_id && !fields.voice && weights.length === 0) {
    throw invalidParameter('`voice_id` is required, unless `voice` or `timber_weights` is given');
  }
  if (fields.voice_id) checkVoice(context, fields.voice_id, model, 'voice_id');
  for (const [index, { voice_id: id }] of weights.entries()) {
    if (id !== undefined) checkVoice(context, id, model, `timber_weights[${index}].voice_id`);
  }
}
