import * as z from 'zod/mini';

import { musicParamsSchema, speechParamsSchema } from '../../schemas/audio.ts';
import type { SpeechFields } from '../../schemas/audio.ts';
import type { Model } from '../../schemas/models.ts';
import type { RequestContext } from '../http/request-context.ts';
import { fitting } from '../http/endpoint.ts';
import { numberBetween, requiredText } from './fields.ts';
import { musicPrice, speechPrice } from '../models/prices.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import type { Job } from './submit.ts';
import { checkVoice } from '../voices/library.ts';

/** What every audio body has; the model decides what else there is. */
export const audioBody = z.looseObject({ model: z.string() });

/** Either body, for the description of the service. */
export const shownAudioBody = z.union([musicParamsSchema, speechParamsSchema]);

/** File formats of speech. The specification names two of them as examples. */
const formats = ['mp3', 'wav', 'flac', 'pcm', 'aac', 'opus'];

/** Checks and prices a request for music or speech. Specification: Audio. */
export function audioJob(call: RequestContext, body: z.infer<typeof audioBody>): Job {
  const { catalogue } = call.services;
  const model = catalogue.getOfType(body.model, 'audio');
  return catalogue.isSpeechModel(model) ? speechJob(call, model, body) : musicJob(model, body);
}

function musicJob(model: Model, body: unknown): Job {
  const { prompt } = fitting(musicParamsSchema, body);
  return {
    model,
    prompt: requiredText(prompt, 'prompt'),
    count: 1,
    priceUsd: musicPrice(model, 1),
  };
}

function speechJob(call: RequestContext, model: Model, body: unknown): Job {
  const fields = fitting(speechParamsSchema, body);
  const text = fields.text || fields.input || '';
  if (text === '') throw invalidParameter('`text` or `input` is required');
  numberBetween(fields.speed, 'speed', 0.5, 2);
  if (fields.format !== undefined && !formats.includes(fields.format.toLowerCase())) {
    throw invalidParameter(`\`format\` must be one of ${formats.join(', ')}`);
  }
  checkVoices(call, model, fields);
  return { model, prompt: text, count: 1, priceUsd: speechPrice(model, text) };
}

/** A voice is needed in one of three ways. `voice` is a name of other services and may be any. */
function checkVoices(call: RequestContext, model: Model, fields: SpeechFields): void {
  const weights = fields.timber_weights ?? [];
  if (!fields.voice_id && !fields.voice && weights.length === 0) {
    throw invalidParameter('`voice_id` is required, or `voice`, or `timber_weights`');
  }
  if (fields.voice_id) checkVoice(call, fields.voice_id, model, 'voice_id');
  for (const [index, { voice_id: id }] of weights.entries()) {
    if (id !== undefined) checkVoice(call, id, model, `timber_weights[${index}].voice_id`);
  }
}
