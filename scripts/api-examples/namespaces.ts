import type { Polygate } from 'polygate';

/** Examples of the API reference for the namespaces of a client. */
declare const gateway: Polygate;

// For AccountNamespace
export async function showAccount() {
  const { balance, concurrency } = await gateway.account.retrieve();
  console.log(`${balance.usd} USD, ${concurrency.limit} requests at a time`);
}

// For Audio, AudioKind
export async function generateAudio() {
  const music = await gateway.audio.music.generate({ model: 'anthem-music', prompt: 'Calm sea' });
  const speech = await gateway.audio.speech.generate({ model: 'echo-speech', text: 'Hello' });
  console.log(music.urls[0], speech.urls[0]);
}

// For ChatCompletions
export async function streamChat() {
  const stream = gateway.chat.completions.stream({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Why do ships float?' }],
  });
  for await (const text of stream.text()) process.stdout.write(text);
}

// For Images
export async function generateImage() {
  const { urls } = await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
  console.log(urls[0]);
}

// For Materials
export async function registerMaterial() {
  const url = 'https://files.example/harbor.png';
  const material = await gateway.materials.register({ type: 'image', url });
  const ready = await gateway.materials.wait(material.id);
  console.log(ready.uri); // for the content of a video
}

// For Models
export async function listModels() {
  for (const { id, type } of await gateway.models.list()) console.log(id, type);
}

// For Videos
export async function generateVideo() {
  const { urls } = await gateway.videos.generate({
    model: 'tide-video',
    prompt: 'Waves',
    duration: 5,
  });
  console.log(urls[0]);
}

// For Voices
export async function cloneVoice() {
  const voice = await gateway.voices.clone({ audio_url: 'https://files.example/ann.wav' });
  console.log(voice.voice_id); // for the params of speech
}
