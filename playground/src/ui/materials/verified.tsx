import { parseMaterialCallback } from 'polygate';

import { Mark } from '../shell/mark.tsx';
import { statusWords } from './status-words.ts';

/** Where a person arrives after the identity check. It only says that a result was received. */
export function Verified() {
  return (
    <main class="verified">
      <Mark />
      <h1>Thank you</h1>
      <p>{read()} You can close this page: the playground goes on by itself.</p>
    </main>
  );
}

function read(): string {
  try {
    const { materialStatus } = parseMaterialCallback(location.href);
    return `The result was received: ${statusWords[materialStatus] ?? materialStatus}.`;
  } catch {
    return 'This address tells of no check.';
  }
}
