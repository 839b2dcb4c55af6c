/** Examples of the API reference for `polygate/react`. */
import { Polygate } from 'polygate';
import { useBudget, useChat, useGeneration, useModels, useSpend } from 'polygate/react';
import type { ChatEntry, RefusalCode } from 'polygate/react';

const gateway = new Polygate({ apiKey: null, baseURL: '/api/gateway' });

// For UseChat, ChatSnapshot, ChatInput, ChatGateway
export function Chat() {
  const { messages, send, status } = useChat(gateway, { model: 'aurora-chat' });
  return (
    <button disabled={status === 'streaming'} onClick={() => void send('Why do ships float?')}>
      Send the question {messages.length + 1}
    </button>
  );
}

// For ChatOptions, ChatEntry
export function Conversation() {
  const { messages } = useChat(gateway, { model: 'aurora-chat', id: 'support' });
  const textOf = ({ content, incomplete }: ChatEntry) =>
    `${typeof content === 'string' ? content : ''}${incomplete === true ? '…' : ''}`;
  return <p>{messages.map(textOf).join('\n')}</p>;
}

// For UseGeneration, GenerationSnapshot, GenerationStatus, GenerationNamespace
export function Picture() {
  const { generate, status, urls } = useGeneration(gateway.images);
  const prompt = 'A harbor';
  return (
    <button onClick={() => void generate({ model: 'prism-image', prompt })}>
      {status === 'succeeded' ? <img src={urls[0]} alt={prompt} /> : status}
    </button>
  );
}

// For GenerationOptions, KeyValueStorage
export function Film() {
  const { resume, status } = useGeneration(gateway.videos, {
    id: 'trailer',
    storage: sessionStorage,
  });
  return <button onClick={() => void resume()}>{status}</button>;
}

// For RefusalCode
export async function explain(error: Error & { code?: RefusalCode }) {
  if (error.code === 'outcome_unknown') console.log('Call resume() to get the result');
}

// For UseModels, ModelsSnapshot, ModelsGateway
export function ModelList() {
  const { models, isLoading } = useModels(gateway);
  return <p>{isLoading ? 'Loading' : models.map(({ id }) => id).join(', ')}</p>;
}

// For UseBudget, BudgetOptions, BudgetSnapshot
export function Budget() {
  const { budget, error } = useBudget({ url: '/api/gateway/budget', client: gateway });
  if (error !== undefined) return <p role="alert">{error.message}</p>;
  return <p>{budget?.remainingUsd ?? '…'} USD left</p>;
}

// For SpendGateway
export function Cost() {
  const { totalUsd } = useSpend(gateway);
  return <p>{totalUsd} USD</p>;
}
