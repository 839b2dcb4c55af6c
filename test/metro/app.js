// What a React Native app imports. The hooks are only loaded: without a device, nothing renders them.
import { Polygate } from 'polygate';
import * as hooks from 'polygate/react';

/** Submits an image and waits for it, streams a chat, and reports an error. */
export async function run(options) {
  const gateway = new Polygate({ apiKey: null, ...options });
  const waitOptions = { pollInterval: 20, maxPollInterval: 20 };
  const image = await gateway.images.generate(
    { model: 'prism-image', prompt: 'A harbor' },
    waitOptions,
  );
  const messages = [{ role: 'user', content: 'Describe a harbor' }];
  const stream = gateway.chat.completions.stream({ model: 'aurora-chat', messages });
  let text = '';
  for await (const part of stream.text()) text += part;
  const failed = await gateway.images
    .submit({ model: 'none', prompt: 'A harbor' })
    .catch(({ name, outcome }) => `${name} ${outcome}`);
  return { urls: image.urls.length, text, failed, hooks: Object.keys(hooks).toSorted() };
}

globalThis.run = run;
