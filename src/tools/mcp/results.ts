import { stat, readFile } from 'node:fs/promises';

import type { Polygate, SucceededGeneration } from 'polygate';
import type Sharp from 'sharp';

import { ExistingFiles, fillTemplate } from '../cli/output-name.ts';
import { saveResult } from '../cli/save-results.ts';
import type { TaskEntry } from '../cli/task-store.ts';
import { maxPreviewSide, readImageFile } from './image-file.ts';
import { decodePng, encodePng, reduce } from './png.ts';

/** A result on this machine. */
export interface ResultFile {
  readonly path: string;
  readonly bytes: number;
  /** Whether nothing proves that the end of the file was not cut off. */
  readonly isUnverified: boolean;
}

/** Saves results in the folder, once for each task, even while several calls wait for them. */
export class Results {
  readonly #gateway: Polygate;
  readonly #ended: AbortSignal;
  readonly #saving = new Map<string, Promise<ResultFile[]>>();

  /** `ended` aborts when the server ends. */
  constructor(gateway: Polygate, ended: AbortSignal) {
    this.#gateway = gateway;
    this.#ended = ended;
  }

  /** Saves the results of a task, unless they are in the folder. Is not canceled with a call. */
  save(
    { idempotencyKey }: TaskEntry,
    generation: SucceededGeneration,
    template: string,
  ): Promise<ResultFile[]> {
    const known = this.#saving.get(idempotencyKey);
    if (known !== undefined) return known;
    const saving = this.#saveAll(generation, template).finally(() => {
      this.#saving.delete(idempotencyKey);
    });
    this.#saving.set(idempotencyKey, saving);
    return saving;
  }

  async #saveAll(generation: SucceededGeneration, template: string): Promise<ResultFile[]> {
    const files: ResultFile[] = [];
    for (const index of generation.urls.keys()) {
      const path = fillTemplate(template, { id: '', n: index + 1 });
      files.push(await this.#saveOne(generation, index, path));
    }
    return files;
  }

  async #saveOne(
    generation: SucceededGeneration,
    index: number,
    path: string,
  ): Promise<ResultFile> {
    // A file gets its name when it is complete, so one that exists does not have to be downloaded again.
    const existing = new ExistingFiles().find(path);
    if (existing !== undefined) {
      return { path: existing, bytes: (await stat(existing)).size, isUnverified: false };
    }
    // The name belongs to this task. Another server may be saving the same file.
    const options = { overwrite: true, signal: this.#ended };
    const saved = await saveResult(this.#gateway, { generation, index }, path, options);
    return { path: saved.path, bytes: saved.bytes, isUnverified: saved.complete === 'unverified' };
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
export const maxPreviewBytes = 60_000;

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
