/** For tests with hooks: fails a file that creates clients without a `fetch` of their own but does not run over `nodeFetch`. */
import { relative } from 'node:path';

import { afterAll, expect, inject } from 'vitest';

import { created } from './hooked-client.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The files of the project "over nodeFetch". */
    overNodeFetch: string[];
  }
}

const before = created.withoutFetch;

afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  if (created.withoutFetch === before || inject('overNodeFetch').includes(file)) return;
  throw new Error(`${file} creates clients without a fetch, but does not run over nodeFetch`);
});
