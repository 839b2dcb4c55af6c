import { parseMaterialCallback } from 'polygate';

import { Logo } from '../shell/logo.tsx';
import { statusLabels } from './status-labels.ts';

/** The callback page of the identity check. It only confirms that a result was received. */
export function Verified() {
  return (
    <main class="verified">
      <Logo />
      <h1>Thank you</h1>
      <p>{describeResult()} You can close this page. The playground continues automatically.</p>
    </main>
  );
}

function describeResult(): string {
  try {
    const { materialStatus } = parseMaterialCallback(location.href);
    return `Result received: ${statusLabels[materialStatus] ?? materialStatus}.`;
  } catch {
    return 'This URL contains no verification result.';
  }
}
