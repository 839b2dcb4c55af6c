import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const entries = [
  'polygate',
  'polygate/chat',
  'polygate/journal',
  'polygate/node',
  'polygate/proxy',
  'polygate/proxy/redis',
  'polygate/proxy/testing',
  'polygate/schemas',
  'polygate/mock',
  'polygate/mock/node',
];

const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'preserve', moduleResolution: 'bundler' };

const withoutDom = { lib: ['es2023'], types: ['node'] };

const settings = [
  { name: 'nodenext', options: nodenext },
  {
    name: 'nodenext with exact optional properties',
    options: { ...nodenext, exactOptionalPropertyTypes: true },
  },
  { name: 'bundler', options: bundler },
  { name: 'nodenext without DOM types', options: { ...nodenext, ...withoutDom } },
  { name: 'bundler without DOM types', options: { ...bundler, ...withoutDom } },
];

const gateway = `
  import { Polygate } from 'polygate';
  import type { ChatMessage, FailedGeneration, Receipt, SucceededGeneration } from 'polygate';

  const gateway = new Polygate();
  const { completions } = gateway.chat;
  const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }];
`;

/** Programs with a mistake, and the remedy that the compiler's only error has to name. */
const mistakes: readonly (readonly [string, string])[] = [
  [
    "completions.create({ model: 'm', messages, temprature: 1 })",
    "Did you mean to write 'temperature'",
  ],
  [
    "completions.create({ model: 'm', messages, stream: true, max_token: 5 })",
    "Did you mean to write 'max_tokens'",
  ],
  [
    "completions.stream({ model: 'm', messages, temprature: 1 })",
    "Did you mean to write 'temperature'",
  ],
  [
    "completions.create({ model: 'm', messages: [{ role: 'usr', content: 'Hi' }] })",
    `Did you mean '"user"'`,
  ],
  ["completions.create({ model: 'm', messages: [{ role: 'user', content: 5 }] })", "'number'"],
  ["completions.create({ model: 'm' })", "'messages' is missing"],
  ["gateway.images.generate({ model: 'm', promt: 'p' })", "'promt' does not exist"],
  [
    "gateway.images.generate({ model: 'm', prompt: 'p', resoluton: '1K' })",
    "Did you mean to write 'resolution'",
  ],
  [
    "gateway.videos.submit({ model: 'm', prompt: 'p', aspect_ration: '1:1' })",
    "Did you mean to write 'aspect_ratio'",
  ],
  ["gateway.audio.speech.submit({ model: 'm', txt: 'Hi' })", "'txt' does not exist"],
  ["gateway.voices.design({ prompt: 'p', preview_txt: 'Hi' })", "'preview_txt' does not exist"],
  ["gateway.models.list({ stile: 'gemini' })", "Did you mean to write 'style'"],
  [
    "gateway.images.generate({ model: 'm', prompt: 'p' }, { rout: 'tasks' })",
    "Did you mean to write 'route'",
  ],
  ["gateway.batch([1], () => ({ model: 'm', prompt: 'p' }))", 'Submission'],
  ["gateway.batch([1], async () => ({ model: 'm', prompt: 'p' }))", 'Submission'],
  ["gateway.batch([1], () => gateway.images.submit({ model: 'm', prompt: 'p' }))", 'Submission'],
  ["gateway.resume('task_1')", "parameter of type 'Receipt<TaskKind>'"],
];

const valid = `${gateway}
  declare module 'polygate' {
    interface ChatParams { top_k?: number }
    interface TextPart { cache_control?: { type: 'ephemeral' } }
    interface ImageParams { style_strength?: number }
    interface VideoParams { camera_motion?: number }
    interface MusicParams { tempo?: number }
    interface SpeechParams { reverb?: number }
    interface VoiceCloneParams { similarity?: number }
    interface VoiceDesignParams { breathiness?: number }
  }
  export const calls = () => [
    completions.create({ model: 'm', messages, top_k: 40 }),
    completions.stream({ model: 'm', messages, top_k: 40 }),
    completions.run({ model: 'm', messages, top_k: 40, tools: [] }),
    // @ts-expect-error an added field has its declared type
    completions.create({ model: 'm', messages, top_k: '40' }),
    gateway.images.submit({ model: 'm', prompt: 'p', style_strength: 0.4 }),
    gateway.images.generate({ model: 'm', image: 'https://a.example', style_strength: 0.4 }),
    gateway.videos.submit({ model: 'm', prompt: 'p', camera_motion: 0.4 }),
    gateway.videos.submit({ model: 'm', content: [], camera_motion: 0.4 }),
    gateway.audio.music.submit({ model: 'm', prompt: 'p', tempo: 90 }),
    gateway.audio.speech.submit({ model: 'm', text: 'Hi', reverb: 0.2 }),
    gateway.audio.speech.submit({ model: 'm', input: 'Hi', reverb: 0.2 }),
    gateway.voices.clone({ audio_url: 'https://a.example', similarity: 0.9 }),
    gateway.voices.design({ prompt: 'p', preview_text: 'Hi', breathiness: 0.2 }),
    gateway.voices.design({ prompt: 'p', text: 'Hi', breathiness: 0.2 }),
  ];
  export const cached: ChatMessage = {
    role: 'user',
    content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
  };
  export async function converse(): Promise<void> {
    const completion = await completions.create({ model: 'm', messages });
    const message = completion.choices[0]?.message;
    if (message) messages.push(message, { ...message, name: 'Ada' });
  }
  export async function firstUrl(receipt: Receipt<'video'>, text: string): Promise<string> {
    const video: SucceededGeneration<'video'> = await gateway.resume(receipt).wait();
    const any = await gateway.resume(JSON.parse(text)).wait();
    const unchecked: unknown = JSON.parse(text);
    const latest = await gateway.resume(unchecked).retrieve();
    if (latest.status === 'succeeded') return latest.urls[0];
    if (latest.status === 'failed') return latest.error.message;
    const pending: Exclude<typeof latest, SucceededGeneration | FailedGeneration> = latest;
    const image = await gateway.images.generate({ model: 'm', prompt: 'p' });
    return pending.id + video.urls[0] + any.urls[0] + image.urls[0];
  }
`;

let app: string;

beforeAll(async () => {
  app = await createApp('types', [inject('tarball'), '@types/node@24.19.2']);
  await addFixture(app, 'consumer.ts');
  // The same program as a CommonJS module: Node.js can require packages of ES modules.
  await copyFile(join(app, 'consumer.ts'), join(app, 'consumer.cts'));
  await writeFile(join(app, 'values.ts'), await valuesProgram());
  await writeFile(join(app, 'valid.ts'), valid);
  const statements = mistakes.map(([mistake]) => `void ${mistake};`).join('\n');
  await writeFile(join(app, 'mistakes.ts'), `${gateway}\n${statements}\n`);
});

describe.each(['5.9.3', '6.0.3', '7.0.2'])('with TypeScript %s', (version) => {
  let compiler: string;

  beforeAll(async () => {
    const tools = await createApp(`typescript-${version}`, [`typescript@${version}`]);
    compiler = join(tools, 'node_modules', '.bin', 'tsc');
  });

  test.each(settings)('a program compiles with $name', async ({ options }) => {
    await configure(['consumer.ts', 'consumer.cts', 'values.ts', 'valid.ts'], options);
    expect(await run(compiler, ['--project', 'tsconfig.json'], app)).toBe('');
  });

  test('a mistake causes one error, which names the remedy', async () => {
    await configure(['mistakes.ts'], nodenext);
    const output = await run(
      compiler,
      ['--project', 'tsconfig.json', '--pretty', 'false'],
      app,
    ).catch(String);
    expect(output).not.toContain('No overload matches');
    // An error starts with its file. The lines that explain it are indented.
    const errors = output.split(/^(?=mistakes\.ts)/m).slice(1);
    expect(errors).toHaveLength(mistakes.length);
    const firstLine = gateway.split('\n').length + 1;
    for (const [index, [, remedy]] of mistakes.entries()) {
      expect(errors[index]).toContain(`mistakes.ts(${firstLine + index},`);
      expect(errors[index]).toContain(remedy);
    }
  });
});

async function configure(files: string[], options: object): Promise<void> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    ...options,
  };
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
}

/** A program that compiles only if the types of each entry point declare exactly the values that it exports. */
async function valuesProgram(): Promise<string> {
  const parts = entries.map(async (entry, index) => {
    const print = `console.log(JSON.stringify(Object.keys(await import('${entry}'))))`;
    const names = await run('node', ['--input-type=module', '--eval', print], app);
    return `
      import * as entry${index} from '${entry}';
      type Declared${index} = keyof typeof entry${index};
      type Actual${index} = (typeof actual${index})[number];
      const actual${index} = ${names.trim()} as const;
      export const missing${index}: Exclude<Actual${index}, Declared${index}>[] = [];
      export const absent${index}: Declared${index} extends Actual${index} ? true : false = true;
    `;
  });
  return (await Promise.all(parts)).join('\n');
}
