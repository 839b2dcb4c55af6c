import { page } from './layout.ts';
import type { MaterialState } from '../account/state.ts';
import { escapeXml } from '../media/svg.ts';

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

/** Where a person shows that they are alive and agree, or does not. */
export function verificationPage({ name, type, verification }: MaterialState): string {
  const expires = new Date(verification?.expiresAt ?? 0).toISOString();
  return page(
    'Identity check',
    style,
    `<main>
<h1>Is this you?</h1>
<p>The service looks at your face here. The reference gateway takes your word for it.</p>
<dl>
<dt>Material</dt><dd>${escapeXml(name.slice(0, 200))}</dd>
<dt>Type</dt><dd>${type}</dd>
<dt>Valid until</dt><dd><time datetime="${expires}">${expires.slice(0, 16).replace('T', ' ')} UTC</time></dd>
</dl>
<form>
<button name="outcome" value="succeeded">Complete the check</button>
<button name="outcome" value="failed">Fail the check</button>
</form>
<p class="soft">Either choice takes you back to where you came from.</p>
</main>`,
  );
}

/** What is left of a check whose material is gone. */
export function verificationEndedPage(): string {
  return page(
    'This check is over',
    style,
    `<main>
<h1>This check is over</h1>
<p>Its material was deleted or has expired, or the address is wrong. Start again from the app that sent you here.</p>
</main>`,
  );
}
