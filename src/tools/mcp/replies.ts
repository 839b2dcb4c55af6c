import { readFile, stat } from 'node:fs/promises';

import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  AbortedError,
  APIError,
  BudgetExceededError,
  ConfigurationError,
  PaymentRequiredError,
} from 'polygate';
import type { SucceededGeneration, Task } from 'polygate';
import type Sharp from 'sharp';

import { codeIs } from '../../wire/codes.ts';
import { UsageError } from '../cli/arguments.ts';
import { describeFailure } from '../cli/failure.ts';
import type { FailureContext } from '../cli/failure.ts';
import { formatUsd } from '../money.ts';
import { within } from './call.ts';
import type { Call } from './call.ts';
import { maxPreviewSide, readImageFile } from './image-file.ts';
import { decodePng, encodePng, reduce } from './png.ts';
import type { ResultFile } from './session.ts';

/** Removes the API key and control characters from a text of one line. */
type Clean = (text: string) => string;

/** Longer URLs, such as those with the file in them, are not part of a reply. */
const maxUrlLength = 2000;

/** At most this many images of one task have a preview. */
const maxPreviews = 4;

/** The preview of a large image can take this long on a slow machine, in ms. */
const previewMs = 5000;

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
  const next = known.next ?? continueAfter(cause, known.command);
  const text = describeFailure(cause, { ...known, next, clean });
  // The last line explains how to continue.
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
  { clean, lines, call }: { clean: Clean; lines: readonly string[]; call: Call },
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
  const previews: Preview[] = [];
  const problems: string[] = [];
  if (task.kind === 'image') {
    const made = { previews, problems };
    await within(call, addPreviews(made, files.slice(0, maxPreviews), call));
  }
  const all = [...saved, ...problems, ...lines, `Task: ${task.id}`];
  const images = previews.map((image) => ({ type: 'image' as const, ...image }));
  return { content: [...reply(all, clean).content, ...images] };
}

/** Creates previews one after the other, as long as there is time. The reply is more important. */
async function addPreviews(
  { previews, problems }: { previews: Preview[]; problems: string[] },
  files: readonly ResultFile[],
  { limitMs }: Call,
): Promise<void> {
  const maxBytes = Math.floor(maxPreviewBytes / files.length);
  for (const { path } of files) {
    if (limitMs() < previewMs) return;
    const preview = await createPreview(path, maxBytes);
    if (typeof preview === 'string') problems.push(`No preview: ${path} ${preview}.`);
    else previews.push(preview);
  }
}

/** What a call has cost, in one line. */
export const priceLine = (usd: number | undefined): string =>
  `Price: ${usd === undefined ? 'not reported' : formatUsd(usd)}`;

/** How to continue while only the key of a task is known. */
export const repeatCall = 'repeat this call with the same arguments';

/** How to continue with a task. An id that cannot be printed cannot be passed to a tool. */
export function continueTask(id: string, clean: (text: string) => string): string {
  return id !== '' && clean(id) === id ? `call get_task with task_id ${id}` : repeatCall;
}

/** How to continue after a model that does not exist, or must not be used. */
export const chooseModel = 'call list_models, and repeat the call with a model that it lists';

/** How to continue after an error of a tool for which nothing else is known. */
function continueAfter(error: unknown, tool: string): string {
  if (BudgetExceededError.is(error)) {
    return 'choose something cheaper, or have the user start the server with higher limits';
  }
  if (PaymentRequiredError.is(error)) {
    return `have the user top up the balance or the quota of the API key, then ${repeatCall}`;
  }
  if (error instanceof UsageError) return `have the user correct this, then ${repeatCall}`;
  if (ConfigurationError.is(error)) return 'correct the arguments, and call the tool again';
  if (APIError.is(error) && !AbortedError.is(error)) {
    const { status, code } = error;
    // Only tools that look up their model request something that may not exist.
    const isLookup = status === 404 && /^(generate_|estimate$)/.test(tool);
    if (codeIs(code, 'model') || isLookup) return chooseModel;
    if (status === 401 || status === 403) {
      return `have the user check the API key and what it may use, then ${repeatCall}`;
    }
    if ([400, 404, 413, 422].includes(status)) {
      return 'correct the arguments, and call the tool again';
    }
  }
  return repeatCall;
}

/** A call has failed, with what is known about its charge. */
export class CallFailure extends Error {
  /** What has happened. */
  override readonly cause: unknown;
  readonly context: FailureContext;

  constructor(cause: unknown, context: FailureContext) {
    super('The call has failed.', { cause });
    this.cause = cause;
    this.context = context;
  }
}

/** An image in a reply. */
export interface Preview {
  readonly data: string;
  readonly mimeType: string;
}

/** Imports sharp, which is optional. */
type LoadSharp = () => Promise<{ default: typeof Sharp }>;

/** Maximum size of all previews of a reply, in bytes. */
const maxPreviewBytes = 60_000;

/** Larger files are not read. */
const maxFileBytes = 50_000_000;

/** Widths and heights to try. */
const sizes = [512, 384, 256, 192, 128, 64];

/**
 * Creates a preview of an image file: the file itself if it is small, or else a smaller image. Returns why there is none:
 * with a damaged image in a reply, or one with too many pixels, services reject the whole conversation.
 */
export async function createPreview(
  path: string,
  maxBytes: number,
  loadSharp: LoadSharp = () => import('sharp'),
): Promise<Preview | string> {
  try {
    if ((await stat(path)).size > maxFileBytes) return 'is too large';
    const file = await readFile(path);
    const image = readImageFile(file);
    if (image === undefined) return 'is not a PNG, JPEG, GIF or WebP';
    const { size, mimeType } = image;
    if (size === undefined) return 'is not a complete image';
    const isSmall = Math.max(size.width, size.height) <= maxPreviewSide;
    if (isSmall && file.length <= maxBytes) return toPreview(file, mimeType);
    const smaller = (await withSharp(file, maxBytes, loadSharp)) ?? smallerPng(file, maxBytes);
    return smaller ?? 'is too large, or not a complete image';
  } catch {
    // What was paid for is more important.
    return 'cannot be read';
  }
}

const toPreview = (file: Buffer, mimeType: string): Preview => ({
  data: file.toString('base64'),
  mimeType,
});

/** Reduces a PNG until it is small enough. */
function smallerPng(file: Buffer, maxBytes: number): Preview | undefined {
  const pixels = decodePng(file);
  if (pixels === undefined) return undefined;
  for (const size of sizes) {
    const png = encodePng(reduce(pixels, size));
    if (png.length <= maxBytes) return toPreview(png, 'image/png');
  }
  return undefined;
}

/** Reduces an image of any format, if sharp is installed. */
async function withSharp(
  file: Buffer,
  maxBytes: number,
  loadSharp: LoadSharp,
): Promise<Preview | undefined> {
  try {
    const { default: sharp } = await loadSharp();
    for (const size of sizes) {
      const image = sharp(file).rotate().resize({ width: size, height: size, fit: 'inside' });
      const webp = await image.webp({ quality: 75 }).toBuffer();
      if (webp.length <= maxBytes) return toPreview(webp, 'image/webp');
    }
  } catch {
    // It is not installed, or cannot read the file.
  }
  return undefined;
}
