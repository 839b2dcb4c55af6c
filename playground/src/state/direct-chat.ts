import { extractImages } from 'polygate';
import type { ChatCompletionChunk, ChatParams } from 'polygate';

import { toProblem } from '../../shared/problem.ts';
import { gateway } from './client.ts';
import { activeResponse, changeTurn, turns } from './turns.ts';
import type { Turn } from './turns.ts';

/** Streams a response through the page's client. Returns how it ended. */
export async function streamDirectly(
  { id, requestId }: Turn,
  params: ChatParams,
): Promise<Partial<Turn>> {
  const stream = gateway.chat.completions.stream(params, { requestId });
  activeResponse.value = stream;
  try {
    for await (const chunk of stream) append(id, chunk);
    const images = extractImages(await stream.final()).map(({ url }) => url);
    return { state: 'done', images, costUsd: stream.meta?.chargeUsd };
  } catch (error) {
    const problem = toProblem(error);
    const costUsd = stream.meta?.chargeUsd;
    return problem.name === 'AbortedError'
      ? { state: 'stopped', costUsd }
      : { state: 'failed', problem, costUsd };
  }
}

function append(id: string, { choices: [choice], usage }: ChatCompletionChunk): void {
  const turn = turns.value.find((candidate) => candidate.id === id);
  if (turn === undefined) return;
  changeTurn(id, {
    state: 'streaming',
    text: turn.text + (choice?.delta.content ?? ''),
    reasoning: turn.reasoning + (choice?.delta.reasoning_content ?? ''),
    tokens: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : turn.tokens,
  });
}
