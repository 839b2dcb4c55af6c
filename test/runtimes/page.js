// What the page of the test does: nothing of it knows a key. Bundled with the packed package.
import { ConfigurationError, Polygate } from 'polygate';

const gateway = new Polygate({ apiKey: null, baseURL: '/api/gateway' });

async function draw() {
  const image = await gateway.images.generate(
    { model: 'prism-image', prompt: 'A harbour' },
    { pollInterval: 50 },
  );
  const picture = document.createElement('img');
  picture.src = image.urls[0];
  document.body.append(picture);
  await picture.decode();
  return { width: picture.naturalWidth, spent: gateway.spend.totalUsd };
}

const question = {
  model: 'aurora-chat',
  messages: [{ role: 'user', content: 'Describe a harbour' }],
};

async function talk() {
  let words = '';
  for await (const text of gateway.chat.completions.stream(question).text()) words += text;
  return words;
}

async function leave() {
  for await (const _ of gateway.chat.completions.stream(question)) break;
}

async function refused() {
  const errors = [];
  const attempts = [
    () => gateway.account.retrieve(),
    () => gateway.images.submit({ model: 'none', prompt: 'A harbour' }),
    () => new Polygate({ apiKey: 'sk-other', baseURL: '/api/gateway' }),
  ];
  for (const attempt of attempts) {
    try {
      await attempt();
    } catch (error) {
      const { name, code, status } = error;
      errors.push({ name, code, status, known: error instanceof ConfigurationError });
    }
  }
  return errors;
}

/** Everything that a script in the page can read. */
async function readable() {
  const databases = (await indexedDB.databases?.()) ?? [];
  const answer = await fetch('/api/gateway/v1/models');
  return JSON.stringify([
    document.documentElement.outerHTML,
    document.cookie,
    Object.entries(localStorage),
    Object.entries(sessionStorage),
    databases,
    performance.getEntries(),
    [...answer.headers],
    await answer.text(),
    ...Array.from(document.scripts, ({ text }) => text),
    await (await fetch('/page.js')).text(),
  ]);
}

globalThis.work = { draw, talk, leave, refused, readable };
