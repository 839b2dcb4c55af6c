import type { ChatMessage, ImageParams } from 'polygate';

import type { ApiCall } from '../../state/api-call.ts';
import { endpoints } from './endpoints.ts';
import { Code, toLiteral } from './literal.ts';

/** The call as a TypeScript program, which reads the base URL and the API key from environment variables. */
export function toTypeScript(call: ApiCall): string {
  const { method, result } = endpoints[call.kind];
  const key = call.kind === 'chat' ? undefined : call.idempotencyKey;
  const options = key === undefined ? [] : [{ idempotencyKey: key }];
  return `import { Polygate } from 'polygate';

const gateway = new Polygate(); // reads POLYGATE_BASE_URL and POLYGATE_API_KEY

${follow[result](`gateway.${method}(${toArguments([call.params, ...options])})`)}
`;
}

/** One argument follows its parenthesis. Several have a line each. */
function toArguments(values: readonly object[]): string {
  if (values.length === 1) return toLiteral(values[0]);
  const lines = values.map((value) => `  ${toLiteral(value, '  ')},\n`).join('');
  return `\n${lines}`;
}

/** What to do with the result of a call. */
const follow = {
  stream: (call: string) => `const stream = ${call};
for await (const text of stream.text()) process.stdout.write(text);`,
  task: (call: string) => `const task = await ${call};
const { urls } = await task.wait();
console.log(urls);`,
  voice: (call: string) => `const { voice } = await ${call};
console.log(voice.voice_id);`,
  material: (call: string) => `const material = await ${call};
console.log(material.id, material.status);`,
} as const;

type ChatCall = Extract<ApiCall, { kind: 'chat' }>;

/** The call as a program that uses the AI SDK; undefined if that has no such call. */
export function toAiSdk(call: ApiCall): string | undefined {
  if (call.kind === 'chat') return toStreamText(call.params);
  return call.kind === 'image' ? toGenerateImage(call.params) : undefined;
}

function toGenerateImage({ model, prompt, resolution }: ImageParams): string {
  const options = toLiteral({
    model: new Code(`polygate.image(${toLiteral(model)})`),
    prompt,
    providerOptions: resolution === undefined ? undefined : { polygate: { resolution } },
  });
  return `import { generateImage } from 'ai';
import { createPolygate } from 'polygate/ai-sdk';

const polygate = createPolygate(); // reads POLYGATE_BASE_URL and POLYGATE_API_KEY

const { image } = await generateImage(${options});
console.log(image.mediaType, image.uint8Array.length);
`;
}

/** The call as a program that uses the `openai` package through the client; undefined if that has no such call. */
export function toOpenAi(call: ApiCall): string | undefined {
  if (call.kind !== 'chat') return undefined;
  return `import OpenAI from 'openai';
import { Polygate } from 'polygate';

const gateway = new Polygate(); // reads POLYGATE_BASE_URL and POLYGATE_API_KEY
const openai = new OpenAI({
  apiKey: 'unused',
  baseURL: \`\${gateway.baseURL}/v1\`,
  fetch: gateway.fetch,
  maxRetries: 0,
});

const stream = await openai.chat.completions.create(${toLiteral({ ...call.params, stream: true })});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '');
`;
}

function toStreamText({
  model,
  messages,
  temperature,
  top_p,
  max_tokens,
}: ChatCall['params']): string {
  const isSystem = ({ role }: ChatMessage) => role === 'system';
  const options = toLiteral({
    model: new Code(`polygate(${toLiteral(model)})`),
    instructions: messages.find(isSystem)?.content,
    messages: messages.filter((message) => !isSystem(message)),
    temperature,
    topP: top_p,
    maxOutputTokens: max_tokens,
  });
  return `import { streamText } from 'ai';
import { createPolygate } from 'polygate/ai-sdk';

const polygate = createPolygate(); // reads POLYGATE_BASE_URL and POLYGATE_API_KEY

const { textStream } = streamText(${options});
for await (const text of textStream) process.stdout.write(text);
`;
}

/** The call as a curl command, which expects the base URL and the API key in environment variables. */
export function toCurl(call: ApiCall): string {
  const { path } = endpoints[call.kind];
  const body = call.kind === 'chat' ? { ...call.params, stream: true } : call.params;
  const lines = [
    `curl${call.kind === 'chat' ? ' --no-buffer' : ''} "$POLYGATE_BASE_URL${path}"`,
    `--header "Authorization: Bearer $POLYGATE_API_KEY"`,
    `--header 'Content-Type: application/json'`,
    ...(call.kind === 'chat' ? [] : [toKeyHeader(call)]),
    `--data ${shellQuote(JSON.stringify(body, null, 2))}`,
  ];
  return `${lines.join(' \\\n  ')}\n`;
}

/** The key of a call, or a new one. */
function toKeyHeader({ kind, idempotencyKey }: Exclude<ApiCall, ChatCall>): string {
  // Only materials use the header that later became a standard. Specification: Materials.
  const name = kind === 'material' ? 'Idempotency-Key' : 'X-Idempotency-Key';
  return idempotencyKey === undefined
    ? `--header "${name}: $(uuidgen)"`
    : `--header '${name}: ${idempotencyKey}'`;
}

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
