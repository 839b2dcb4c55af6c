import { createReferenceGateway } from '../../lab/reference-gateway.ts';

const storageKey = 'polygate-playground-gateway';

/** What a reload of the page must not lose: a real gateway would keep it, too. */
interface StoredGateway {
  session: string;
  snapshot: object;
}

/**
 * Creates the reference gateway of this tab. Its state is kept in the tab's storage, so that a task continues after a
 * reload, and is not lost when the page that paid for it is.
 */
export function restoreGateway() {
  const stored = load();
  const session = stored?.session ?? crypto.randomUUID();
  const mock = createReferenceGateway('sk-playground', {
    seed: session,
    snapshot: stored?.snapshot,
    history: 500,
    onChange: () => save({ session, snapshot: mock.snapshot() }),
  });
  return { mock, session };
}

function load(): StoredGateway | undefined {
  try {
    // Trusted without validation: only `save` writes this entry, and the gateway checks its snapshot.
    const stored: StoredGateway | null = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    return stored ?? undefined;
  } catch {
    return undefined;
  }
}

function save(stored: StoredGateway): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(stored));
  } catch {
    // A full or blocked storage: the gateway then lives as long as the page.
  }
}
