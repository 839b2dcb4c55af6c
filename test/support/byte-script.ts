import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { ChatClient } from '../../src/chat.ts';
import { ChatStream, Polygate } from '../../src/index.ts';
import type { ChatCompletionChunk } from '../../src/index.ts';
import { createPolygate } from '../../src/integrations/ai-sdk/index.ts';
import { params } from './event-stream.ts';
import { collect } from './rejection.ts';

/** What a raw socket writes as the body of a response. */
export interface ByteScript {
  readonly body: string;
  /** The content type; no header if it is empty. */
  readonly type?: string;
}

/** What one way of reading makes of a response. */
interface Reading {
  readonly text: string;
  readonly warnings: readonly string[];
}

interface Reader {
  readonly gateway: Polygate;
  readonly chat: ChatClient;
}

/** The ways to read a chat, by name. Each returns its text. */
type Ways = Readonly<Record<string, (reader: Reader) => Promise<string>>>;

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

/** All ways to read a streamed chat. */
export const streamedWays = {
  loop: ({ gateway }) => join(gateway.chat.completions.stream(params)),
  'final()': async ({ gateway }) =>
    contentOf(await gateway.chat.completions.stream(params).final()),
  'text()': async ({ gateway }) => {
    let text = '';
    for await (const piece of gateway.chat.completions.stream(params).text()) text += piece;
    return text;
  },
  'tee()': async ({ gateway }) => {
    const [first, second] = gateway.chat.completions.stream(params).tee();
    const [text, completion] = await Promise.all([join(first), second.final()]);
    return same(text, contentOf(completion));
  },
  'create()': async ({ gateway }) =>
    join(await gateway.chat.completions.create({ ...params, stream: true })),
  'a relayed stream': async ({ gateway }) => {
    const readable = gateway.chat.completions.stream(params).toReadableStream();
    return contentOf(await ChatStream.fromReadableStream(readable).final());
  },
  'polygate/chat': async ({ chat }) =>
    contentOf(await chat.chat.completions.stream(params).final()),
  'run()': async ({ gateway }) => {
    const run = await gateway.chat.completions.run(
      { ...params, tools: [] },
      { onStream: () => undefined },
    );
    return contentOf(run.completion);
  },
  'the AI SDK provider': async ({ gateway }) => {
    const model = createPolygate({ client: gateway })('m');
    const { stream } = await model.doStream({ prompt });
    let text = '';
    for await (const part of stream) {
      if (part.type === 'text-delta') text += part.delta;
      if (part.type === 'error') throw part.error;
    }
    return text;
  },
} satisfies Ways;

/** All ways to read a chat that is not streamed. */
export const unstreamedWays = {
  'create()': async ({ gateway }) => contentOf(await gateway.chat.completions.create(params)),
  'polygate/chat': async ({ chat }) => contentOf(await chat.chat.completions.create(params)),
  'run()': async ({ gateway }) =>
    contentOf((await gateway.chat.completions.run({ ...params, tools: [] })).completion),
  'a batch': async ({ gateway }) => {
    const submission = gateway.chat.completions.submission(params);
    const [row] = await collect(gateway.batch([1], () => submission));
    if (row?.status === 'succeeded') return contentOf(row.completion);
    throw row?.error ?? new Error('The batch has no result.');
  },
  'the AI SDK provider': async ({ gateway }) => {
    const { content } = await createPolygate({ client: gateway })('m').doGenerate({ prompt });
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  },
} satisfies Ways;

/** Reads a response in one way, from a socket that writes it byte for byte. */
export async function readScript(
  way: (reader: Reader) => Promise<string>,
  { body, type = 'text/event-stream' }: ByteScript,
): Promise<Reading> {
  const warnings: string[] = [];
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        const header = type === '' ? '' : `content-type: ${type}\r\n`;
        const head = `HTTP/1.1 200 OK\r\n${header}x-svc-charge-usd: 0.25\r\nconnection: close\r\n\r\n`;
        socket.end(head + body);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const logger = { ...console, warn: (message: string) => void warnings.push(message) };
  const options = {
    apiKey: 'sk-test',
    baseURL: `http://127.0.0.1:${port}`,
    maxRetries: 0,
    logger,
  };
  try {
    const reader = { gateway: new Polygate(options), chat: new ChatClient(options) };
    return { text: await way(reader), warnings };
  } finally {
    server.close();
  }
}

function contentOf({ choices }: { choices: { message: { content?: unknown } }[] }): string {
  const content = choices[0]?.message.content;
  return typeof content === 'string' ? content : '';
}

async function join(stream: AsyncIterable<ChatCompletionChunk>): Promise<string> {
  let text = '';
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  return text;
}

function same(one: string, other: string): string {
  return one === other ? one : `${one} and ${other}`;
}
