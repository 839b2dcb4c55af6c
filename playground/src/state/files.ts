import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

import { backend } from '../backend/server.ts';

/** The URLs that elements load, by the URL of the gateway. Undefined while a file is loaded. */
const files = new Map<string, Signal<string | undefined>>();

/** Returns the URL that an element of the page can load for a file of the gateway; undefined until there is one. */
export function fileURL(url: string): string | undefined {
  const known = files.get(url);
  if (known !== undefined) return known.value;
  const loaded = backend.loadFile(url);
  const file = signal(typeof loaded === 'string' ? loaded : undefined);
  files.set(url, file);
  if (typeof loaded !== 'string') void loadInto(file, loaded, url);
  return file.value;
}

async function loadInto(
  file: Signal<string | undefined>,
  loaded: Promise<string>,
  url: string,
): Promise<void> {
  try {
    file.value = await loaded;
  } catch {
    // The next render tries again: the gateway may not have had the file yet.
    files.delete(url);
  }
}
