import {
  assumptions,
  blockers,
  customModel,
  estimate,
  extractImages,
  parseMaterialCallback,
  Stream,
} from 'polygate';
import type {
  AnySubmission,
  AssetUri,
  BaseClient,
  ChatClientOptions,
  MediaUrl,
  ModelId,
  ModelResolution,
  ModelType,
  TaskStatus,
  ToolContext,
  Polygate,
} from 'polygate';
/** Examples of the API reference for `polygate`, where the doc comment of an export has none. */
import { z } from 'zod';

declare const gateway: Polygate;
declare const request: Request;
declare const settings: { readonly model: string };

// For assumptions, Assumption
export function listAssumptions() {
  for (const { id, gap, override } of assumptions) console.log(id, gap, override);
}

// For blockers, Readiness, ReadinessCheck
export async function checkReadiness() {
  const readiness = await gateway.account.readiness();
  for (const check of blockers(readiness)) console.log(check.id, check.status);
}

// For extractImages
export async function imagesOfChat() {
  const completion = await gateway.chat.completions.create({
    model: 'prism-image',
    messages: [{ role: 'user', content: 'Draw a harbor' }],
  });
  for (const { url } of extractImages(completion)) console.log(url.slice(0, 40));
}

// For parseMaterialCallback
export function showCallback() {
  const { materialId, materialStatus } = parseMaterialCallback(request.url);
  console.log(`Material ${materialId} is ${materialStatus}`);
}

// For estimate, KnownPrices
export async function estimateVideo() {
  const { pricing } = await gateway.models.retrieve('prism-image');
  const usd = estimate.image(pricing, { count: 4, resolution: '2k' });
  console.log(usd === undefined ? 'The price is unknown' : `${usd} USD`);
}

// For Spend, BaseClient
export function watchSpend(client: Pick<BaseClient<ChatClientOptions>, 'onSpend'>) {
  const stop = client.onSpend((spend) => console.log(spend.totalUsd));
  process.once('exit', stop);
}

// For ConcurrencyState
export function showSlots() {
  const { inFlight, queued, limit } = gateway.concurrency;
  console.log(`${inFlight} of ${limit ?? 'unknown'} slots used, ${queued} calls waiting`);
}

// For ChatClientOptions
export function chatOnlyOptions() {
  const options: ChatClientOptions = { timeout: 20_000, maxRetries: 1 };
  return options;
}

// For ModelId, ModelType
export function chooseModel(model: ModelId<'chat'>) {
  return gateway.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
}

// For ModelCatalog, CustomModel
export function modelFromSettings() {
  return gateway.images.submit({ model: customModel(settings.model), prompt: 'A harbor' });
}

// For ModelResolution
export function fixedResolution(resolution: ModelResolution<'video'>) {
  return gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor', resolution });
}

// For ModelType
export async function countModels(type: ModelType) {
  const { data } = await gateway.models.list();
  return data.filter((model) => model.type === type).length;
}

// For ModelListRecord, Prices
export async function listPrices() {
  const { data } = await gateway.models.list();
  for (const { id, pricing } of data) console.log(id, pricing.unitPriceUsd);
}

// For WithResponse
export async function readHeaders() {
  const { data, response, meta } = await gateway.models.list().withResponse();
  console.log(data.data.length, response.status, meta.requestId);
}

// For RawRequest, StandardSchema
export async function callNewEndpoint() {
  const account = await gateway.request({ method: 'GET', path: '/v1/account' });
  console.log(account);
}

// For ItemStream, RelayedStreamOptions
export async function readRelayed(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const stream = Stream.fromReadableStream(body, { streamIdleTimeout: 30_000 });
  for await (const chunk of stream) console.log(chunk.choices[0]?.delta.content);
}

// For PartialDeep
export async function showPartialObject() {
  const stream = gateway.chat.completions.stream({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Name three ports.' }],
    response_format: z.object({ ports: z.array(z.string()) }),
  });
  for await (const { ports = [] } of stream.partialObjects()) console.log(ports.at(-1));
}

// For AnySubmission, ChatSubmissionParams
export function describeRow(prompt: string, isChat: boolean): AnySubmission {
  return isChat
    ? gateway.chat.completions.submission({
        model: 'aurora-chat',
        messages: [{ role: 'user', content: prompt }],
      })
    : gateway.images.submission({ model: 'prism-image', prompt });
}

// For ToolContext
export function searchTool() {
  return {
    name: 'search',
    parameters: z.object({ query: z.string() }),
    execute: async ({ query }: { query: string }, { signal }: ToolContext) => {
      const response = await fetch(`https://example.com/?q=${query}`, { signal });
      return response.text();
    },
  };
}

// For SpeechInput, SpeechInputParams
export async function speak() {
  const speech = await gateway.audio.speech.generate({
    model: 'echo-speech',
    input: 'The ship leaves at nine.',
    format: 'mp3',
  });
  console.log(speech.urls[0]);
}

// For TimberWeight
export async function mixVoices() {
  const speech = await gateway.audio.speech.generate({
    model: 'echo-speech',
    text: 'The ship leaves at nine.',
    timber_weights: [
      { voice_id: 'ada', weight: 70 },
      { voice_id: 'ben', weight: 30 },
    ],
  });
  console.log(speech.urls[0]);
}

// For AssetUri, MediaUrl
export function videoOfMaterial(url: AssetUri | MediaUrl) {
  return gateway.videos.submit({
    model: 'tide-video',
    content: [
      { type: 'text', text: 'She walks along the pier' },
      { type: 'image_url', image_url: { url } },
    ],
  });
}

// For MaterialCreateFields
export async function registerMaterial() {
  const material = await gateway.materials.register({
    type: 'image',
    url: 'https://example.com/pier.png',
    name: 'Pier',
  });
  console.log(material.id);
}

// For MaterialListQuery, MaterialPage, MaterialPageRecord
export async function listMaterials() {
  const page = await gateway.materials.list({ status: 'available', limit: 20 });
  for (const material of page.data) console.log(material.id, material.name);
  const next = await page.nextPage();
  console.log(next?.data.length ?? 'That was the last page');
}

// For VoiceListRecord
export async function listVoices() {
  const { data } = await gateway.voices.list();
  for (const voice of data) console.log(voice.voice_id);
}

// For AudioTaskRecord, GenerationFields, ImageTaskRecord, TaskRecord, TaskRecords, VideoTaskRecord
export async function readRecord() {
  const image = await gateway.images.retrieve('task_123');
  console.log(image.status, image.rawStatus, image.raw.task_id);
}

// For TaskStatus
export async function isPending(id: string) {
  const { status } = await gateway.videos.retrieve(id);
  const pending: readonly TaskStatus[] = ['queued', 'running'];
  return pending.includes(status);
}
