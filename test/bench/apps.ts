/** A program that uses a client: for bundles and for the compiler. */
export interface App {
  /** Everything that the package exports. */
  readonly whole: string;
  /** The least that asks a model something. */
  readonly chat?: string;
  /** A small consumer in types; the chat app when there is none. */
  readonly consumer?: string;
  /** What is imported. */
  readonly modules: readonly string[];
}

const ask = `{ model: 'bench', messages: [{ role: 'user', content: 'hi' }] }`;

/** The built package, as seen from here. */
const built = '../../dist/index.js';

export const apps: Readonly<Record<string, App>> = {
  polygate: {
    modules: [built],
    whole: `export * from '${built}';`,
    chat: `import { ChatClient } from '../../dist/chat.js';
const gateway = new ChatClient({ apiKey: null, baseURL: '/gateway' });
const answer = await gateway.chat.completions.create(${ask});
console.log(answer.choices[0]?.message.content);`,
  },
  ky: {
    modules: ['ky'],
    whole: `export * from 'ky'; export { default } from 'ky';`,
    chat: `import ky from 'ky';
const answer = await ky.post('/gateway', { json: ${ask} }).json<any>();
console.log(answer.choices[0].message.content);`,
  },
  openai: {
    modules: ['openai'],
    whole: `export * from 'openai'; export { default } from 'openai';`,
    chat: `import OpenAI from 'openai';
const openai = new OpenAI({ apiKey: 'key', dangerouslyAllowBrowser: true });
const answer = await openai.chat.completions.create(${ask});
console.log(answer.choices[0]?.message.content);`,
  },
  'ai-sdk': {
    modules: ['ai', '@ai-sdk/openai-compatible'],
    whole: `export * from 'ai'; export * from '@ai-sdk/openai-compatible';`,
    chat: `import { generateText } from 'ai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
const provider = createOpenAICompatible({ name: 'bench', apiKey: 'key', baseURL: '/gateway' });
const answer = await generateText({ model: provider('bench'), prompt: 'hi' });
console.log(answer.text);`,
  },
  openrouter: {
    modules: ['@openrouter/sdk'],
    whole: `export * from '@openrouter/sdk';`,
    chat: `import { OpenRouterCore } from '@openrouter/sdk/core.js';
import { chatSend } from '@openrouter/sdk/funcs/chatSend.js';
const answer = await chatSend(new OpenRouterCore({ apiKey: 'key' }), { chatRequest: ${ask} });
console.log(answer.ok);`,
    consumer: `import { OpenRouter } from '@openrouter/sdk';
const answer = await new OpenRouter({ apiKey: 'key' }).chat.send({ chatRequest: ${ask} });
console.log('choices' in answer);`,
  },
  fal: {
    modules: ['@fal-ai/client'],
    whole: `export * from '@fal-ai/client';`,
    chat: `import { fal } from '@fal-ai/client';
const answer = await fal.run('bench/model', { input: { prompt: 'hi' } });
console.log(answer.requestId);`,
  },
  replicate: {
    modules: ['replicate'],
    whole: `export { default } from 'replicate';`,
    chat: `import Replicate from 'replicate';
const answer = await new Replicate({ auth: 'key' }).run('bench/model', { input: { prompt: 'hi' } });
console.log(answer);`,
  },
  runway: {
    modules: ['@runwayml/sdk'],
    whole: `export * from '@runwayml/sdk'; export { default } from '@runwayml/sdk';`,
    consumer: `import RunwayML from '@runwayml/sdk';
const task = await new RunwayML({ apiKey: 'key' }).tasks.retrieve('task').waitForTaskOutput();
console.log(task.output?.[0]);`,
  },
};
