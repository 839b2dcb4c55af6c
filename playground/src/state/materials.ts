import { signal } from '@preact/signals';
import type { Material, MaterialCreateParams, MaterialUpdate } from 'polygate';

import { toProblem } from '../../shared/problem.ts';
import { announce } from './announce.ts';
import { createKey } from './api-call.ts';
import type { Creation } from './api-call.ts';
import { gateway } from './client.ts';

/** A material in the library. */
export interface LibraryItem {
  material: Material;
  /** The page for the identity check, while that is pending. It is secret and must not be stored or logged. */
  verificationUrl?: string | undefined;
  /** The error of the last poll. */
  pollError?: string | undefined;
}

/** The library, the latest material first. */
export const library = signal<readonly LibraryItem[]>([]);

/** Whether the library has not been loaded yet. */
export const isLibraryLoading = signal(true);

/** State of the current or last registration. */
export const registration = signal<Creation>({ isBusy: false });

/** Loads the library, and polls the materials that are not available yet. */
export async function loadMaterials(): Promise<void> {
  const items: LibraryItem[] = [];
  try {
    for await (const material of await gateway.materials.list()) items.push({ material });
  } catch {
    return;
  } finally {
    isLibraryLoading.value = false;
  }
  library.value = items;
  for (const { material } of items) if (material.status !== 'available') void poll(material.id);
}

/** Registers a file. If it shows a real person, the response contains the URL of the identity check. */
export async function registerMaterial(params: MaterialCreateParams): Promise<void> {
  registration.value = { isBusy: true };
  const idempotencyKey = createKey();
  const call = { kind: 'material', params, idempotencyKey } as const;
  try {
    const { verification_url: verificationUrl, ...material } = await gateway.materials.create(
      params,
      { idempotencyKey },
    );
    library.value = [{ material, verificationUrl }, ...library.value];
    const text = `${material.name} was registered.`;
    registration.value = { isBusy: false, done: { text, call } };
    void poll(material.id);
  } catch (error) {
    registration.value = { isBusy: false, problem: toProblem(error) };
  }
}

/** Deletes a material. Videos that used it are not affected. */
export async function deleteMaterial(id: string): Promise<void> {
  const deleted = await gateway.materials.delete(id).catch(() => undefined);
  if (deleted === undefined) return;
  library.value = library.value.filter(({ material }) => material.id !== id);
  announce(`${deleted.name} was deleted.`);
}

async function poll(id: string): Promise<void> {
  try {
    for await (const update of gateway.materials.updates(id)) applyUpdate(update);
  } catch (error) {
    change(id, { pollError: toProblem(error).name });
  }
}

function applyUpdate({ pollError, ...material }: MaterialUpdate): void {
  const isPending = material.status === 'verification_pending';
  change(material.id, {
    material,
    pollError: pollError && toProblem(pollError).name,
    ...(isPending ? {} : { verificationUrl: undefined }),
  });
  if (material.status === 'available') announce(`${material.name} is available.`);
}

function change(id: string, changes: Partial<LibraryItem>): void {
  library.value = library.value.map((item) =>
    item.material.id === id ? { ...item, ...changes } : item,
  );
}
