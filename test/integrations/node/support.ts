import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

/** A new folder, which is removed when the test has finished. */
export async function emptyFolder() {
  const path = await mkdtemp(join(tmpdir(), 'polygate-files-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return {
    path,
    file: (name: string) => join(path, name),
    names: async () => (await readdir(path)).toSorted(),
    namesNow: () => readdirSync(path),
  };
}

/** A fetch that sends requests for URLs with this start over the network, and all others to the function. */
export function onNetwork(start: string, other: typeof fetch): typeof fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    return url.startsWith(start) ? fetch(input, init) : other(input, init);
  };
}

/** Options with which `saveTo` retries without a delay. */
export const noPause = { clock: { sleep: () => Promise.resolve() } };
