import type { CallToolResult } from '@modelcontextprotocol/server';
import type { SucceededGeneration, Task } from 'polygate';

import { describeFailure } from '../cli/failure.ts';
import type { FailureContext } from '../cli/failure.ts';
import { formatUsd } from '../cli/money.ts';
import { continueAfter, continueTask } from './continuation.ts';
import { CallFailure } from './failure.ts';
import { createPreview, maxPreviewBytes } from './preview.ts';
import type { ResultFile } from './results.ts';

/** Removes the API key and control characters from a text of one line. */
type Clean = (text: string) => string;

/** Longer URLs, such as those with the file in them, are not part of a reply. */
const maxUrlLength = 2000;

/** At most this many images of one task have a preview. */
const maxPreviews = 4;

/** Creates a reply. Each line may contain what a service has sent. */
export function reply(lines: readonly string[], clean: Clean): CallToolResult {
  return { content: [{ type: 'text', text: lines.map(clean).join('\n') }] };
}

/** Creates the reply for an error: what happened, whether something was charged, and how to continue. */
export function errorReply(
  error: unknown,
  context: FailureContext,
  { clean, lines = [] }: { clean: Clean; lines?: readonly string[] },
): CallToolResult {
  const [cause, known] =
    error instanceof CallFailure ? [error.cause, error.context] : [error, context];
  const next = known.next ?? continueAfter(cause);
  const text = describeFailure(cause, { ...known, next, clean })
    .trimEnd()
    .split('\n');
  // How to continue comes last.
  text.splice(-1, 0, ...lines);
  return { ...reply(text, clean), isError: true };
}

/** Creates the reply for a task that is not finished, or whose results are still being saved. */
export function pendingReply(
  task: Task,
  { clean, lines }: { clean: Clean; lines: readonly string[] },
): CallToolResult {
  const { latest, id } = task;
  const progress = latest?.progress === undefined ? '' : `, ${Math.floor(latest.progress)}%`;
  const state =
    latest?.status === 'succeeded'
      ? 'The task has succeeded, and its results are still being saved.'
      : `The task is not finished (${latest?.status ?? 'submitted'}${progress}).`;
  return reply(
    [
      `${state} ${id === '' ? 'It has no id.' : `Its id is ${id}.`}`,
      `To continue: ${continueTask(id, clean)}. That costs nothing.`,
      ...chargeLines(task),
      ...lines,
    ],
    clean,
  );
}

/** Creates the reply for a task whose results are saved, with previews of images. */
export async function resultReply(
  task: Task,
  { urls }: SucceededGeneration,
  files: readonly ResultFile[],
  { clean, lines }: { clean: Clean; lines: readonly string[] },
): Promise<CallToolResult> {
  const saved = files.flatMap(({ path, bytes, isUnverified }, index) => {
    const url = urls[index] ?? '';
    const doubt = isUnverified
      ? '; the server did not report its size: check that it is complete'
      : '';
    return [
      `Saved: ${path} (${bytes} bytes${doubt})`,
      ...(/^https?:/.test(url) && url.length <= maxUrlLength ? [`URL: ${url}`] : []),
    ];
  });
  const text = reply([...saved, ...chargeLines(task), ...lines, `Task: ${task.id}`], clean);
  if (task.kind !== 'image') return text;
  const shown = files.slice(0, maxPreviews);
  const previews = await Promise.all(
    shown.map(({ path }) => createPreview(path, Math.floor(maxPreviewBytes / shown.length))),
  );
  const images = previews.filter((preview) => preview !== undefined);
  return {
    content: [...text.content, ...images.map((image) => ({ type: 'image' as const, ...image }))],
  };
}

function chargeLines({ chargeUsd }: Task): string[] {
  return [chargeUsd === undefined ? 'Price: not reported' : `Price: ${formatUsd(chargeUsd)}`];
}
