import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { PolygateError } from 'polygate';
import type { Polygate } from 'polygate';

import { showProgress } from './progress.ts';
import { bad, dim, fact, Flow, good, plain, title, usd } from './screen.ts';

const folder = 'demo-output';

/** Streams an answer. */
export async function chat(gateway: Polygate, model: string, signal: AbortSignal): Promise<void> {
  title('Chat, word by word', 'gateway.chat.completions.stream()');
  const prompt = 'Say hello to somebody who sees this client for the first time';
  fact('model', plain(model));
  fact('prompt', prompt);
  console.log();
  const stream = gateway.chat.completions.stream(
    { model, messages: [{ role: 'user', content: prompt }] },
    { signal },
  );
  const flow = new Flow();
  try {
    for await (const text of stream.text()) flow.write(text);
  } finally {
    flow.end();
  }
  console.log();
  fact('cost', cost(stream.meta?.chargeUsd, stream.meta?.requestId));
}

/** Draws an image and saves it. */
export async function draw(
  gateway: Polygate,
  model: string,
  { signal, ...pace }: { signal: AbortSignal; pollInterval?: number; maxPollInterval?: number },
): Promise<void> {
  title('An image, with its progress', 'gateway.images.generate()');
  const prompt = 'A quiet harbour at dawn, fishing boats, soft light';
  fact('model', plain(model));
  fact('prompt', prompt);
  console.log();
  const progress = showProgress();
  const { data: image, meta } = await gateway.images
    .generate({ model, prompt }, { ...pace, signal, onUpdate: progress.show })
    .withResponse()
    .finally(progress.stop);
  console.log();
  fact('saved', good(await save(await gateway.download(image, { signal }))));
  fact('cost', cost(meta.chargeUsd, meta.requestId));
}

/** Asks for a model that does not exist, to show what an error tells. */
export async function fail(gateway: Polygate, signal: AbortSignal): Promise<void> {
  const model = 'no-such-model';
  title('An error, as your code sees it', 'gateway.chat.completions.create()');
  fact('model', model);
  console.log();
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  try {
    await gateway.chat.completions.create({ model, messages }, { signal });
    fact('answer', 'this service has a model of that name');
  } catch (error) {
    if (signal.aborted || !PolygateError.is(error)) throw error;
    explain(error);
  }
}

/** An error in a few lines: what happened, and what is known about money. */
export function explain(error: unknown): void {
  if (!PolygateError.is(error)) {
    console.error(error);
    return;
  }
  fact('class', bad(error.name));
  fact('message', plain(error.message));
  if ('requestId' in error) fact('requestId', plain(String(error.requestId)));
  if (error.outcome !== undefined) fact('outcome', error.outcome);
  if (error.task === undefined) return;
  fact('task', `${error.task.id} goes on and is paid. Its receipt, for gateway.resume():`);
  console.log(dim(JSON.stringify(error.task)));
}

function cost(amount: number | undefined, requestId = 'unknown'): string {
  return `${usd(amount)}  ${dim(`request ${plain(requestId)}`)}`;
}

/** Writes a result to a file; gives its path. */
async function save(response: Response): Promise<string> {
  const [, ending = 'bin'] = /^image\/(\w+)/.exec(response.headers.get('content-type') ?? '') ?? [];
  const file = join(folder, `harbour.${ending}`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return file;
}
