/** Examples of the API reference for `polygate/schemas`. */
import type { Polygate } from 'polygate';
import {
  accountRecord,
  audioTaskRecord,
  chatCompletion,
  chatCompletionChunk,
  chatParams,
  generation,
  imageParams,
  imageTaskRecord,
  keyBalanceRecord,
  materialParams,
  materialRecord,
  modelRecord,
  musicParams,
  readinessRecord,
  receipt,
  speechParams,
  videoParams,
  videoTaskRecord,
  voiceCloneParams,
  voiceDesignParams,
  voiceRecord,
} from 'polygate/schemas';

declare const gateway: Polygate;
declare const body: string;

// For chatParams
export async function checkChatParams() {
  const parsed = chatParams.safeParse(JSON.parse(body));
  if (parsed.success) await gateway.chat.completions.create(parsed.data);
}

// For imageParams
export async function checkImageParams() {
  const params = imageParams.parse(JSON.parse(body));
  await gateway.images.submit(params);
}

// For videoParams
export async function checkVideoParams() {
  const params = videoParams.parse(JSON.parse(body));
  await gateway.videos.submit(params);
}

// For musicParams
export async function checkMusicParams() {
  const params = musicParams.parse(JSON.parse(body));
  await gateway.audio.music.submit(params);
}

// For speechParams
export async function checkSpeechParams() {
  const params = speechParams.parse(JSON.parse(body));
  await gateway.audio.speech.submit(params);
}

// For voiceCloneParams
export async function checkVoiceCloneParams() {
  const params = voiceCloneParams.parse(JSON.parse(body));
  await gateway.voices.clone(params);
}

// For voiceDesignParams
export async function checkVoiceDesignParams() {
  const params = voiceDesignParams.parse(JSON.parse(body));
  await gateway.voices.design(params);
}

// For materialParams
export async function checkMaterialParams() {
  const params = materialParams.parse(JSON.parse(body));
  await gateway.materials.create(params);
}

// For receipt
export async function checkReceipt() {
  const checked = receipt.parse(JSON.parse(body));
  const { urls } = await gateway.resume(checked).wait();
  console.log(urls);
}

// For chatCompletion
export function checkChatCompletion() {
  const completion = chatCompletion.parse(JSON.parse(body));
  console.log(completion.choices[0]?.message.content);
}

// For chatCompletionChunk
export function checkChatCompletionChunk() {
  const chunk = chatCompletionChunk.parse(JSON.parse(body));
  console.log(chunk.choices[0]?.delta.content);
}

// For generation
export function checkGeneration() {
  const { status } = generation.parse(JSON.parse(body));
  console.log(status);
}

// For accountRecord
export function checkAccountRecord() {
  const account = accountRecord.parse(JSON.parse(body));
  console.log(account.balance.usd);
}

// For keyBalanceRecord
export function checkKeyBalanceRecord() {
  const { data } = keyBalanceRecord.parse(JSON.parse(body));
  console.log(data.balance.display_amount);
}

// For readinessRecord
export function checkReadinessRecord() {
  const readiness = readinessRecord.parse(JSON.parse(body));
  console.log(readiness.status, readiness.score);
}

// For modelRecord
export function checkModelRecord() {
  const model = modelRecord.parse(JSON.parse(body));
  console.log(model.id, model.pricing.unitPriceUsd);
}

// For materialRecord
export function checkMaterialRecord() {
  const material = materialRecord.parse(JSON.parse(body));
  console.log(material.id, material.status);
}

// For voiceRecord
export function checkVoiceRecord() {
  const voice = voiceRecord.parse(JSON.parse(body));
  console.log(voice.voice_id);
}

// For imageTaskRecord
export function checkImageTaskRecord() {
  const task = imageTaskRecord.parse(JSON.parse(body));
  console.log(task.id, task.raw_status);
}

// For videoTaskRecord
export function checkVideoTaskRecord() {
  const task = videoTaskRecord.parse(JSON.parse(body));
  console.log(task.id, task.raw_status);
}

// For audioTaskRecord
export function checkAudioTaskRecord() {
  const task = audioTaskRecord.parse(JSON.parse(body));
  console.log(task.id, task.raw_status);
}
