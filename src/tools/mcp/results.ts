import { stat, readFile } from 'node:fs/promises';

import type { Polygate, SucceededGeneration } from 'polygate';
import type Sharp from 'sharp';

import { ExistingFiles, fillTemplate } from '../cli/output-name.ts';
import { saveResult } from '../cli/save-results.ts';
import type { TaskEntry } from '../cli/task-store.ts';
import { decodePng, encodePng, isPng, reduce } from './png.ts';

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

/** Creates a preview of an image file: the file itself if it is small, or else a smaller image if one can be made. */
export async function createPreview(
  path: string,
  maxBytes: number,
  loadSharp: LoadSharp = () => import('sharp'),
): Promise<Preview | undefined> {
  try {
    if ((await stat(path)).size > maxFileBytes) return undefined;
    const file = await readFile(path);
    const mimeType = imageTypeOf(file);
    if (mimeType === undefined) return undefined;
    if (file.length <= maxBytes) return toPreview(file, mimeType);
    return (await withSharp(file, maxBytes, loadSharp)) ?? smallerPng(file, maxBytes);
  } catch {
    // The file is there, which is what was paid for.
    return undefined;
  }
}

const toPreview = (file: Buffer, mimeType: string): Preview => ({
  data: file.toString('base64'),
  mimeType,
});

/** The type of an image by its first bytes, if models can see it. What a service reports may be wrong. */
export function imageTypeOf(file: Buffer): string | undefined {
  if (isPng(file)) return 'image/png';
  const start = file.toString('latin1', 0, 12);
  if (start.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF.{4}WEBP/s.test(start) ? 'image/webp' : undefined;
}

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
