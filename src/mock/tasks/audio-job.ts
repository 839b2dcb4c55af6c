import * as z from 'zod/mini';

import { musicBody, speechBody } from '../../schemas/audio.ts';
import type { SpeechFields } from '../../schemas/audio.ts';
import type { Model } from '../../schemas/models.ts';
import { parseBody } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { musicPrice, speechPrice } from '../models/prices.ts';
import { checkVoice } from '../voices/library.ts';
import { numberBetween, requiredText } from './field-checks.ts';
import type { Job } from './submit.ts';

/** The fields of every audio body. The model decides about the others. */
export const audioBody = z.looseObject({ model: z.string() });

/** Both kinds of body, for the OpenAPI document. */
export const documentedAudioBody = z.union([musicBody, speechBody]);

/** File formats of speech. The specification gives two of them as examples. */
const formats = ['mp3', 'wav', 'flac', 'pcm', 'aac', 'opus'];

/** Validates and prices a music or speech generation. Specification: Audio. */
export function audioJob(call: RequestContext, body: z.infer<typeof audioBody>): Job {
  const { catalog } = call.services;
  const model = catalog.getOfType(body.model, 'audio');
  return catalog.isSpeechModel(model) ? speechJob(call, model, body) : musicJob(model, body);
}

function musicJob(model: Model, body: unknown): Job {
  const { prompt } = parseBody(musicBody, body);
  return {
    model,
    prompt: requiredText(prompt, 'prompt'),
    count: 1,
    priceUsd: musicPrice(model, 1),
  };
}

function speechJob(call: RequestContext, model: Model, body: unknown): Job {
  const fields = parseBody(speechBody, body);
  const text = fields.text || fields.input || '';
  if (text === '') throw invalidParameter('`text` or `input` is required');
  numberBetween(fields.speed, 'speed', 0.5, 2);
  if (fields.format !== undefined && !formats.includes(fields.format.toLowerCase())) {
    throw invalidParameter(`\`format\` must be one of ${formats.join(', ')}`);
  }
  checkVoices(call, model, fields);
  return { model, prompt: text, count: 1, priceUsd: speechPrice(model, text) };
}

/** Requires a voice in one of three fields. `voice` may contain any name, for compatibility with other services. */
function checkVoices(call: RequestContext, model: Model, fields: SpeechFields): void {
  const weights = fields.timber_weights ?? [];
  if (!fields.voice_id && !fields.voice && weights.length === 0) {
    throw invalidParameter('`voice_id` is required, unless `voice` or `timber_weights` is given');
  }
  if (fields.voice_id) checkVoice(call, fields.voice_id, model, 'voice_id');
  for (const [index, { voice_id: id }] of weights.entries()) {
    if (id !== undefined) checkVoice(call, id, model, `timber_weights[${index}].voice_id`);
  }
}
