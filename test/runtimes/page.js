// The script of the test page, bundled with the packed package. It has no API key.
import { ConfigurationError, Polygate } from 'polygate';

const gateway = new Polygate({ apiKey: null, baseURL: '/api/gateway' });

async function generateImage() {
  const image = await gateway.images.generate(
    { model: 'prism-image', prompt: 'A harbor' },
    { pollInterval: 50 },
  );
  const element = document.createElement('img');
  element.src = image.urls[0];
  document.body.append(element);
  await element.decode();
  return { width: element.naturalWidth, spent: gateway.spend.totalUsd };
}

const question = {
  model: 'aurora-chat',
  messages: [{ role: 'user', content: 'Describe a harbor' }],
};

async function streamChat() {
  let content = '';
  for await (const text of gateway.chat.completions.stream(question).text()) content += text;
  return content;
}

async function abandonStream() {
  for await (const _ of gateway.chat.completions.stream(question)) break;
}

async function outcomeOfChat() {
  const chat = gateway.chat.completions.create(question);
  return chat.then(
    () => 'succeeded',
    ({ outcome }) => outcome,
  );
}

async function collectErrors() {
  const errors = [];
  const attempts = [
    () => gateway.account.retrieve(),
    () => gateway.images.submit({ model: 'none', prompt: 'A harbor' }),
    () => new Polygate({ apiKey: 'sk-other', baseURL: '/api/gateway' }),
  ];
  for (const attempt of attempts) {
    try {
      await attempt();
    } catch (error) {
      const { name, code, status } = error;
      errors.push({
        name,
        code,
        status,
        isConfigurationError: error instanceof ConfigurationError,
      });
    }
  }
  return errors;
}

/** Everything that a script in the page can read. */
async function readEverything() {
  const databases = (await indexedDB.databases?.()) ?? [];
  const response = await fetch('/api/gateway/v1/models');
  return JSON.stringify([
    document.documentElement.outerHTML,
    document.cookie,
    Object.entries(localStorage),
    Object.entries(sessionStorage),
    databases,
    performance.getEntries(),
    [...response.headers],
    await response.text(),
    ...Array.from(document.scripts, ({ text }) => text),
    await (await fetch('/page.js')).text(),
  ]);
}

globalThis.actions = {
  generateImage,
  outcomeOfChat,
  streamChat,
  abandonStream,
  collectErrors,
  readEverything,
};
