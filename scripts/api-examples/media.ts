import type {
  BatchProgress,
  ImageInput,
  Journal,
  OpenString,
  Polygate,
  Task,
  TaskKind,
} from 'polygate';
/** Examples of the API reference for tasks, files and materials. */
import { fileJournal } from 'polygate/journal';

declare const gateway: Polygate;
declare const task: Task;
declare const journal: Journal;

// For ImageParams, ImageInput
export function requestSize() {
  const params: ImageInput = { model: 'prism-image', prompt: 'A harbor', resolution: '2k', n: 2 };
  return gateway.images.generate(params);
}

// For ImageEditParams
export function editImage() {
  const image = 'https://files.example/harbor.png';
  return gateway.images.generate({ model: 'prism-image', image, prompt: 'At night' });
}

// For ImageFromReferencesParams
export function combineImages() {
  return gateway.images.generate({
    model: 'prism-image',
    reference_image_urls: ['https://files.example/fox.png', 'https://files.example/harbor.png'],
    prompt: 'The fox in the harbor',
  });
}

// For ImageRoute
export function otherImageRoute() {
  const params = { model: 'prism-image', prompt: 'A harbor' };
  return gateway.images.submit(params, { route: 'generations' });
}

// For VideoRoute
export function otherVideoRoute() {
  const params = { model: 'tide-video', prompt: 'A wave' };
  return gateway.videos.submit(params, { route: 'video/generations' });
}

// For VideoParams, VideoInput, VideoExtraBody
export function requestVideo() {
  return gateway.videos.submit({
    model: 'tide-video',
    prompt: 'A wave',
    duration: 5,
    aspect_ratio: '16:9',
    extra_body: { generate_audio: true, seed: 7 },
  });
}

// For VideoContentItem, VideoContentParams, VideoTextItem, VideoImageItem, VideoVideoItem, VideoAudioItem, MediaReference
export function requestVideoOf() {
  return gateway.videos.submit({
    model: 'tide-video',
    content: [
      { type: 'text', text: 'The fox walks along the pier' },
      {
        type: 'image_url',
        image_url: { url: 'https://files.example/fox.png' },
        role: 'reference_image',
      },
      { type: 'video_url', video_url: { url: 'https://files.example/pier.mp4' } },
      { type: 'audio_url', audio_url: { url: 'https://files.example/waves.mp3' } },
    ],
  });
}

// For MusicParams
export function requestMusic() {
  return gateway.audio.music.generate({
    model: 'anthem-music',
    prompt: 'A sea shanty',
    is_instrumental: true,
  });
}

// For SpeechParams
export function requestSpeech() {
  return gateway.audio.speech.generate({
    model: 'echo-speech',
    text: 'The ship leaves at nine.',
    voice_id: 'calm-narrator',
    speed: 1.1,
  });
}

// For VoiceCloneParams, BillingContract, BillingFacts, VoiceOutput
export async function cloneVoice() {
  const voice = await gateway.voices.clone({ audio_url: 'https://files.example/ann.wav' });
  console.log(voice.outputs[0]?.url, voice.billing_contract.facts.voice_clones);
}

// For VoiceDesignParams, VoiceDesignInput
export function designVoice() {
  const preview_text = 'The ship leaves at nine.';
  return gateway.voices.design({ prompt: 'An old captain', preview_text });
}

// For RealPerson, MaterialCreateParams
export function registerPerson() {
  return gateway.materials.register({
    type: 'image',
    url: 'https://files.example/ann.png',
    real_person: { consent_confirmed: true, callback_url: 'https://app.example/verified' },
  });
}

// For MaterialUpdate, MaterialStatus
export async function followMaterial(id: string) {
  for await (const { status, pollError } of gateway.materials.updates(id)) {
    console.log(status, pollError?.message);
    if (status === 'verification_failed') break;
  }
}

// For Generation, TaskError
export async function explainFailure() {
  const generation = await task.retrieve();
  if (generation.status === 'failed') console.log(generation.error.code, generation.error.message);
}

// For TaskHandle
export async function store() {
  console.log(task.id, JSON.stringify(task));
  const { urls } = await task.wait();
  console.log(urls[0]);
}

// For TaskUpdate
export async function followTask() {
  for await (const { status, progress, pollError } of task.updates())
    console.log(status, progress, pollError?.message);
}

// For TaskKind
export function extensionOf(kind: TaskKind) {
  return { image: 'png', video: 'mp4', audio: 'mp3' }[kind];
}

// For OpenString
export function isRight(side: OpenString<'left' | 'right'>) {
  return side === 'right'; // any other string compiles, too
}

// For DownloadOptions, DownloadRange, DownloadResponse, DownloadProgress
export async function continueDownload(start: number) {
  const response = await gateway.download(task, {
    range: { start },
    onProgress: ({ bytes }) => console.log(bytes),
  });
  console.log((await response.bytes()).length, response.complete);
}

// For BatchProgress
export function show({ done, failed, total, usd }: BatchProgress) {
  console.log(`${done} of ${total ?? '?'} done, ${failed} failed, ${usd} USD`);
}

// For RecoverOptions
export async function recoverAll() {
  for await (const row of gateway.recover(fileJournal('images.jsonl'), { maxUsd: 5 }))
    console.log(row.id, row.status);
}

// For RecoveredRow
export async function recoverRows() {
  for await (const row of gateway.recover(journal))
    console.log(row.id, row.generation?.urls ?? row.completion ?? row.error);
}

// For Journal
export async function memoryJournal() {
  const lines: string[] = [];
  const inMemory: Journal = {
    read: async function* read() {
      yield* lines;
    },
    append: async (line) => void lines.push(line),
  };
  for await (const line of inMemory.read()) console.log(line);
}
