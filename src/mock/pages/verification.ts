import { escapeXml } from '../escape-xml.ts';
import type { MaterialState } from '../state.ts';
import { page } from './layout.ts';

const style = `
body { max-width: 34rem; padding-top: 12vh }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.5rem 0 }
button { font: inherit; font-weight: 600; padding: 0.625rem 1.25rem; border-radius: 0.5rem; cursor: pointer;
  border: 1px solid var(--accent); color: var(--accent); background: none }
button:first-child { background: var(--accent); color: var(--on-accent) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 1rem 0 0 }
dt { color: var(--soft) }
dd { margin: 0 }
`;

/** Renders the page on which a person completes or fails a verification. */
export function verificationPage({ name, type, verification }: MaterialState): string {
  const expires = new Date(verification?.expiresAt ?? 0).toISOString();
  return page(
    'Identity verification',
    style,
    `<main>
<h1>Identity verification</h1>
<p>On a real service, this page performs a liveness check. On the reference gateway, you choose the result.</p>
<dl>
<dt>Material</dt><dd>${escapeXml(name.slice(0, 200))}</dd>
<dt>Type</dt><dd>${type}</dd>
<dt>Valid until</dt><dd><time datetime="${expires}">${expires.slice(0, 16).replace('T', ' ')} UTC</time></dd>
</dl>
<form>
<button name="outcome" value="succeeded">Complete verification</button>
<button name="outcome" value="failed">Fail verification</button>
</form>
<p class="soft">Either button returns you to the app that sent you here.</p>
</main>`,
  );
}

/** Renders the page for a verification link that is no longer valid. */
export function verificationEndedPage(): string {
  return page(
    'Verification ended',
    style,
    `<main>
<h1>This verification has ended</h1>
<p>The material has failed, expired or been deleted, or the link is wrong. Start again in the app that sent you here.</p>
</main>`,
  );
}
