// Components with the React hooks, bundled with the packed package for a page, and for the server that renders it.
import { Polygate } from 'polygate';
import { useBudget, useChat, useGeneration, useModels, useSpend } from 'polygate/react';
import { createElement, useState } from 'react';

const origin = globalThis.location ? '' : 'http://127.0.0.1';
const gateway = new Polygate({
  apiKey: null,
  baseURL: `${origin}/api/gateway`,
  logLevel: 'off',
  maxRetries: 0,
});
const query = new URLSearchParams(globalThis.location?.search);
const waitOptions = { pollInterval: 40, maxPollInterval: 40 };

const button = (label, onClick) => createElement('button', { onClick }, label);

/** More than the storage of a browser has room for. */
const picture = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${'A'.repeat(6_000_000)}` },
};

/** Counts what the hooks call, for the test. */
const calls = { finish: 0, error: 0, refused: [] };
globalThis.calls = calls;

export function Picture({ name }) {
  const image = useGeneration(gateway.images, {
    id: 'hero',
    waitOptions,
    storeParams: query.get('storeParams') !== 'false',
    requireStorage: query.has('requireStorage'),
    onFinish: () => (calls.finish += 1),
    onError: () => (calls.error += 1),
  });
  const refused = ({ code }) => void calls.refused.push(code);
  const params = { model: 'prism-image', prompt: query.get('prompt') ?? 'A harbor' };
  const large = { ...params, images: [`data:image/png;base64,${'A'.repeat(6_000_000)}`] };
  return createElement(
    'section',
    {
      id: name,
      'data-status': image.status,
      'data-error': image.error?.message,
      'data-stored': image.isStored,
    },
    button('Draw', () => image.generate(params).catch(refused)),
    button('Draw large', () => image.generate(large).catch(refused)),
    button('Resume', () => image.resume().catch(refused)),
    button('Stop', image.stop),
    button('Reset', image.reset),
    image.urls.map((url) => createElement('img', { key: url, src: url })),
  );
}

export function Conversation() {
  const chat = useChat(gateway, { model: 'aurora-chat', id: 'main' });
  return createElement(
    'section',
    { id: 'chat', 'data-status': chat.status, 'data-unstored': chat.unstored.length },
    button('Ask', () => chat.send(query.get('question') ?? 'Describe a harbor')),
    button('Show', () => chat.send([{ type: 'text', text: 'What is this?' }, picture])),
    chat.messages.map(({ content }, index) =>
      createElement('p', { key: index }, JSON.stringify(content).slice(0, 300)),
    ),
  );
}

export function Account() {
  const { models } = useModels(gateway, { type: 'image' });
  const spend = useSpend(gateway);
  return createElement(
    'section',
    { id: 'account' },
    createElement('p', null, `${models.length} models`),
    createElement('p', null, `${spend.requests} charges of ${spend.totalUsd} USD`),
  );
}

/** What is left, and what a client that is new on each render loads. */
export function Budget() {
  const { budget } = useBudget({ url: '/api/gateway/budget', client: gateway });
  const { models } = useModels(new Polygate({ apiKey: null, baseURL: `${origin}/api/gateway` }));
  return createElement(
    'section',
    { id: 'budget' },
    createElement('p', null, `${budget?.remainingUsd} USD left`),
    createElement('p', null, `${models.length} models of a new client`),
  );
}

/** Everything, with two components of one slot, until `Close` is clicked. */
export function App() {
  const [isShown, setIsShown] = useState(true);
  const [hasBudget, setHasBudget] = useState(false);
  return createElement(
    'main',
    null,
    button(isShown ? 'Close' : 'Open', () => setIsShown(!isShown)),
    isShown && createElement(Picture, { name: 'one' }),
    isShown && createElement(Picture, { name: 'two' }),
    isShown && createElement(Conversation),
    createElement(Account),
    button('Budget', () => setHasBudget(true)),
    hasBudget && createElement(Budget),
  );
}
