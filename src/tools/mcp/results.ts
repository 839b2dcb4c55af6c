import { stat } from 'node:fs/promises';

import type { Polygate, SucceededGeneration } from 'polygate';

import { ExistingFiles } from '../cli/files/existing.ts';
import { fillTemplate } from '../cli/files/output-name.ts';
import { saveResult } from '../cli/files/save-results.ts';
import type { TaskEntry } from '../cli/state/task-entry.ts';

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
