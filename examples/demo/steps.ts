import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { PolygateError } from 'polygate';
import type { Polygate } from 'polygate';

import { showProgress } from './progress.ts';
import { dim, field, green, plain, red, title, usd, usual, WordWrapper } from './screen.ts';

const folder = 'demo-output';

/** How a step waits for its task. */
interface WaitTiming {
  signal: AbortSignal;
  pollInterval?: number;
  maxPollInterval?: number;
}

/** Streams a chat completion. */
export async function streamChat(
  gateway: Polygate,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  title('Streaming chat', 'gateway.chat.completions.stream()');
  const prompt = 'Say hello to someone who is using this client for the first time';
  field('model', plain(model));
  field('prompt', prompt);
  console.log();
  const stream = gateway.chat.completions.stream(
    { model, messages: [{ role: 'user', content: prompt }] },
    { signal },
  );
  const output = new WordWrapper();
  try {
    for await (const text of stream.text()) output.write(text);
  } finally {
    output.end();
  }
  console.log();
  field('cost', cost(stream.meta?.chargeUsd, stream.meta?.requestId));
  usual('the same, but a stream that breaks off can look complete');
}

/** Generates an image and saves it. */
export async function generateImage(
  gateway: Polygate,
  model: string,
  options: WaitTiming,
): Promise<void> {
  title('Image generation with progress', 'gateway.images.generate()');
  const prompt = 'A quiet harbor, soft light';
  field('model', plain(model));
  field('prompt', prompt);
  console.log();
  const progress = showProgress();
  const { data: image, meta } = await gateway.images
    .generate({ model, prompt }, { ...options, onUpdate: progress.show })
    .withResponse()
    .finally(progress.stop);
  console.log();
  field('saved', green(await save(await gateway.download(image, { signal: options.signal }))));
  field('cost', cost(meta.chargeUsd, meta.requestId));
  usual('the same, as long as every response arrives');
}

/** Generates an image whose first response is lost after the service has accepted and charged the task. */
export async function loseResponse(
  gateway: Polygate,
  model: string,
  options: WaitTiming,
): Promise<void> {
  title('A response lost after acceptance', 'gateway.images.generate()');
  field('gateway', 'accepts and charges the task, then drops the connection');
  const log = (message: string) => field('client', plain(message.replace(/^polygate: /, '')));
  const client = gateway.withOptions({
    logger: { error: log, warn: log, info: () => {}, debug: () => {} },
  });
  const spent = gateway.spend.totalUsd;
  const image = await client.images.generate({ model, prompt: 'A lighthouse in a storm' }, options);
  field('task', `${plain(image.id)}  ${green(image.status)}`);
  const paid = gateway.spend.totalUsd - spent;
  field('cost', `${usd(paid)}  ${dim('charged once')}`);
  usual(`${usd(2 * paid)}: the retry without a key is a second task`);
}

/** Prints what happened and whether money may have been spent. */
export function showError(error: unknown): void {
  if (!PolygateError.is(error)) {
    console.error(error);
    return;
  }
  field('class', red(error.name));
  field('message', plain(error.message));
  if ('requestId' in error) field('requestId', plain(String(error.requestId)));
  if (error.outcome !== undefined) field('outcome', error.outcome);
  if (error.task === undefined) return;
  field('task', `${error.task.id} is paid for and still processing. Receipt for gateway.resume():`);
  console.log(dim(JSON.stringify(error.task)));
}

function cost(amount: number | undefined, requestId = 'unknown'): string {
  return `${usd(amount)}  ${dim(`request ${plain(requestId)}`)}`;
}

/** Writes a result to a file and returns its path. */
async function save(response: Response): Promise<string> {
  const [, extension = 'bin'] =
    /^image\/(\w+)/.exec(response.headers.get('content-type') ?? '') ?? [];
  const file = join(folder, `harbor.${extension}`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return file;
}
