import './without-eval.ts';
import { BudgetExceededError } from 'polygate';

import type { End, Start } from './batch/messages.ts';
import { connect } from './batch/port.ts';
import type { PagePort } from './batch/port.ts';
import { makeImages as makeImagesInUsualScript } from './batch/usual-script.ts';
import { makeImages } from './batch/with-polygate.ts';

/** The page shows what the client does, so the console need not. */
const logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

self.addEventListener('message', ({ data, ports: [port] }: MessageEvent<Start>) => {
  if (port !== undefined) void run(data, connect(port));
});

async function run(start: Start, page: PagePort): Promise<void> {
  let end: End = { kind: 'done' };
  try {
    await runProgram(start, page);
  } catch (error) {
    end = BudgetExceededError.is(error)
      ? { kind: 'paused' }
      : { kind: 'failed', message: String(error) };
  }
  page.send({ type: 'end', end });
}

function runProgram(start: Start, page: PagePort): Promise<void> {
  const { program, prompts, apiKey, baseURL, lockName, maxUsd } = start;
  const save = (prompt: string) => page.send({ type: 'saved', prompt });
  const connection = { apiKey, baseURL, fetch: page.fetch };
  if (program === 'usual') return makeImagesInUsualScript(connection, prompts, save);
  // The key is that of a gateway in this page, and opens nothing else.
  const options = { ...connection, logger, dangerouslyAllowBrowser: true };
  return makeImages(options, prompts, save, { journal: page.openJournal(lockName), maxUsd });
}
