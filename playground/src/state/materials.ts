import type { Material, MaterialCreateParams, MaterialUpdate } from 'polygate';
import { signal } from '@preact/signals';

import { announce } from './announce.ts';
import { gateway } from './client.ts';
import { problemOf } from './problem.ts';
import type { Problem } from './problem.ts';

/** A material, and the page on which a person verifies, as long as that is open. */
export interface Held {
  material: Material;
  /** A secret: shown as a link, and kept nowhere else. */
  verificationUrl?: string | undefined;
  trouble?: string | undefined;
}

/** The library, the newest first. */
export const library = signal<readonly Held[]>([]);

/** What went wrong with the last registration. */
export const registering = signal<{ busy: boolean; problem?: Problem | undefined }>({
  busy: false,
});

/** Reads the library, page by page, and follows what is not ready. */
export async function loadMaterials(): Promise<void> {
  const found: Held[] = [];
  try {
    for await (const material of await gateway.materials.list()) found.push({ material });
  } catch {
    return;
  }
  library.value = found;
  for (const { material } of found) if (material.status !== 'available') void follow(material.id);
}

/** Registers a file; for a real person the answer names the page on which they verify. */
export async function register(params: MaterialCreateParams): Promise<boolean> {
  registering.value = { busy: true };
  try {
    const { verification_url: verificationUrl, ...material } =
      await gateway.materials.create(params);
    library.value = [{ material, verificationUrl }, ...library.value];
    registering.value = { busy: false };
    void follow(material.id);
    return true;
  } catch (error) {
    registering.value = { busy: false, problem: problemOf(error) };
    return false;
  }
}

/** Deletes a material: what used it before stays, and nothing can use it from now on. */
export async function remove(id: string): Promise<void> {
  const gone = await gateway.materials.delete(id).catch(() => undefined);
  if (gone === undefined) return;
  library.value = library.value.filter(({ material }) => material.id !== id);
  announce(`${gone.name} is deleted.`);
}

async function follow(id: string): Promise<void> {
  try {
    for await (const update of gateway.materials.updates(id)) take(update);
  } catch (error) {
    patch(id, { trouble: problemOf(error).name });
  }
}

function take({ pollError, ...material }: MaterialUpdate): void {
  const trouble = pollError && problemOf(pollError).name;
  const isPending = material.status === 'verification_pending';
  patch(material.id, { material, trouble, ...(isPending ? {} : { verificationUrl: undefined }) });
  if (material.status === 'available') announce(`${material.name} is available.`);
}

function patch(id: string, changes: Partial<Held>): void {
  library.value = library.value.map((held) =>
    held.material.id === id ? { ...held, ...changes } : held,
  );
}
