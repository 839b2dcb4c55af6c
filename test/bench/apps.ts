/** Programs that use a client, to measure bundle size and compile time. */
export interface App {
  /** Creates the client, or exports everything if the package consists of functions. */
  readonly full: string;
  /** The smallest program that sends a chat request. */
  readonly chat?: string;
  /** A small program to type check. Defaults to `chat`. */
  readonly consumer?: string;
  /** The imported modules. */
  readonly modules: readonly string[];
}

const params = `{ model: 'bench', messages: [{ role: 'user', content: 'hi' }] }`;

/** The built package. */
const built = '../../dist/index.js';

export const apps: Readonly<Record<string, App>> = {
  polygate: {
    modules: [built],
    full: `import { Polygate } from '${built}';
globalThis.client = new Polygate({ apiKey: null, baseURL: '/gateway' });`,
    chat: `import { ChatClient } from '../../dist/chat.js';
const gateway = new ChatClient({ apiKey: null, baseURL: '/gateway' });
const result = await gateway.chat.completions.create(${params});
console.log(result.choices[0]?.message.content);`,
  },
  ky: {
    modules: ['ky'],
    full: `export * from 'ky'; export { default } from 'ky';`,
    chat: `import ky from 'ky';
const result = await ky.post('/gateway', { json: ${params} }).json<any>();
console.log(result.choices[0].message.content);`,
  },
  openai: {
    modules: ['openai'],
    full: `export * from 'openai'; export { default } from 'openai';`,
    chat: `import OpenAI from 'openai';
const openai = new OpenAI({ apiKey: 'key', dangerouslyAllowBrowser: true });
const result = await openai.chat.completions.create(${params});
console.log(result.choices[0]?.message.content);`,
  },
  'ai-sdk': {
    modules: ['ai', '@ai-sdk/openai-compatible'],
    full: `export * from 'ai'; export * from '@ai-sdk/openai-compatible';`,
    chat: `import { generateText } from 'ai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
const provider = createOpenAICompatible({ name: 'bench', apiKey: 'key', baseURL: '/gateway' });
const result = await generateText({ model: provider('bench'), prompt: 'hi' });
console.log(result.text);`,
  },
  openrouter: {
    modules: ['@openrouter/sdk'],
    full: `export * from '@openrouter/sdk';`,
    chat: `import { OpenRouterCore } from '@openrouter/sdk/core.js';
import { chatSend } from '@openrouter/sdk/funcs/chatSend.js';
const result = await chatSend(new OpenRouterCore({ apiKey: 'key' }), { chatRequest: ${params} });
console.log(result.ok);`,
    consumer: `import { OpenRouter } from '@openrouter/sdk';
const result = await new OpenRouter({ apiKey: 'key' }).chat.send({ chatRequest: ${params} });
console.log('choices' in result);`,
  },
  fal: {
    modules: ['@fal-ai/client'],
    full: `import { fal } from '@fal-ai/client';
globalThis.client = fal;`,
    chat: `import { fal } from '@fal-ai/client';
const result = await fal.run('bench/model', { input: { prompt: 'hi' } });
console.log(result.requestId);`,
  },
  replicate: {
    modules: ['replicate'],
    full: `export { default } from 'replicate';`,
    chat: `import Replicate from 'replicate';
const result = await new Replicate({ auth: 'key' }).run('bench/model', { input: { prompt: 'hi' } });
console.log(result);`,
  },
  runway: {
    modules: ['@runwayml/sdk'],
    full: `export * from '@runwayml/sdk'; export { default } from '@runwayml/sdk';`,
    consumer: `import RunwayML from '@runwayml/sdk';
const task = await new RunwayML({ apiKey: 'key' }).tasks.retrieve('task').waitForTaskOutput();
console.log(task.output?.[0]);`,
  },
};
