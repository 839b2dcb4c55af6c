import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { ApiCall } from '../../playground/src/state/api-call.ts';
import { toCurl, toTypeScript } from '../../playground/src/ui/code/call-code.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const fromSource = fileURLToPath(new URL('../from-source.ts', import.meta.url));

/** A reference gateway on a socket, and functions that run code against it as a user would. */
async function setUp() {
  const mock = createMockGateway({ tasks: { durationMs: 0 } });
  const { baseURL, close } = await listen(mock);
  onTestFinished(close);
  const env = { ...process.env, POLYGATE_BASE_URL: baseURL, POLYGATE_API_KEY: mock.apiKey };
  return {
    mock,
    runTypeScript: async (code: string) => {
      const args = ['--import', fromSource, '--input-type=module-typescript', '--eval', code];
      return (await execute(process.execPath, args, { cwd: root, env })).stdout;
    },
    runShell: async (code: string) => (await execute('sh', ['-c', code], { env })).stdout,
  };
}

// Quotes, line breaks, a backslash and characters that are special in a shell.
const prompt = `A "harbor" at dawn, it's\nfoggy: $HOME \`pwd\` \\n 🌫`;
const idempotencyKey = 'page-3f2c';

const keyedCalls: readonly Exclude<ApiCall, { kind: 'chat' }>[] = [
  { kind: 'image', params: { model: 'prism-image', prompt, resolution: '1K' }, idempotencyKey },
  {
    kind: 'video',
    params: {
      model: 'tide-video',
      prompt,
      resolution: undefined,
      duration: 5,
      content: [{ type: 'text', text: prompt }],
    },
    idempotencyKey,
  },
  {
    kind: 'speech',
    params: { model: 'echo-speech', text: prompt, voice_id: 'calm-narrator' },
    idempotencyKey,
  },
  {
    kind: 'music',
    params: { model: 'anthem-music', prompt, is_instrumental: true },
    idempotencyKey,
  },
  {
    kind: 'voice-clone',
    params: { audio_url: 'https://files.example/a.wav', text: prompt, display_name: 'Mine' },
    idempotencyKey,
  },
  { kind: 'voice-design', params: { prompt, preview_text: 'Welcome aboard.' }, idempotencyKey },
  {
    kind: 'material',
    params: { url: 'https://files.example/portrait.png', type: 'image' },
    idempotencyKey,
  },
];

/** The requests that may be charged, without what differs between clients. */
const posts = ({ requests }: ReturnType<typeof createMockGateway>) =>
  requests
    .filter(({ method }) => method === 'POST')
    .map(({ path, body, headers }) => ({
      path,
      body,
      key: headers['x-idempotency-key'] ?? headers['idempotency-key'],
    }));

describe('View code', () => {
  test.each(keyedCalls)(
    'shows a call of kind $kind as TypeScript and curl, which both run and send the same request',
    async (call) => {
      const { mock, runTypeScript, runShell } = await setUp();
      expect(await runTypeScript(toTypeScript(call))).not.toBe('');
      expect(JSON.parse(await runShell(toCurl(call)))).toEqual(expect.any(Object));
      const [first, second, ...others] = posts(mock);
      // JSON has no undefined fields.
      const body: unknown = JSON.parse(JSON.stringify(call.params));
      expect(first).toEqual({ path: expect.any(String), body, key: idempotencyKey });
      expect([second, others]).toEqual([first, []]);
      // The second request of a task has the same key, so it is not charged.
      const charges = mock.invoice.filter(({ route }) => /tasks|videos/.test(route));
      expect(charges).toHaveLength(/image|video|speech|music/.test(call.kind) ? 1 : 0);
    },
  );

  test.each([{ isAiSdk: false }, { isAiSdk: true }])(
    'shows a chat as TypeScript and curl, which send the same messages (AI SDK: $isAiSdk)',
    async ({ isAiSdk }) => {
      const { mock, runTypeScript, runShell } = await setUp();
      const params = {
        model: 'aurora-chat',
        messages: [
          { role: 'system', content: 'You are terse.' },
          { role: 'user', content: prompt },
        ],
        temperature: 0.4,
        top_p: undefined,
        max_tokens: 60,
        stream_options: { include_usage: true },
      } as const;
      const call: ApiCall = {
        kind: 'chat',
        params: { ...params, messages: [...params.messages] },
        isAiSdk,
      };
      expect(await runTypeScript(toTypeScript(call))).toMatch(
        /^You said: A "harbor" at dawn, it's/,
      );
      expect(await runShell(toCurl(call))).toMatch(/data: \[DONE\]\s*$/);
      const [first, second] = posts(mock);
      expect(first?.body).toMatchObject(JSON.parse(JSON.stringify({ ...params, stream: true })));
      expect(second?.body).toEqual(first?.body);
    },
  );

  test('formats the code as a formatter would', () => {
    const params = {
      model: 'aurora-chat',
      messages: [
        { role: 'user' as const, content: 'Hello' },
        { role: 'assistant' as const, content: 'A long response. '.repeat(5) },
      ],
    };
    expect(toTypeScript({ kind: 'chat', params, isAiSdk: false })).toContain(`stream({
  model: 'aurora-chat',
  messages: [
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      content: '${'A long response. '.repeat(5)}',
    },
  ],
});`);
    const image = { kind: 'image', params: { model: 'prism-image', prompt: 'Fog' } } as const;
    expect(toTypeScript({ ...image, idempotencyKey })).toContain(`submit(
  { model: 'prism-image', prompt: 'Fog' },
  { idempotencyKey: 'page-3f2c' },
);`);
  });
});
