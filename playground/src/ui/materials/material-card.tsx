import type { Material } from 'polygate';
import { useEffect, useState } from 'preact/hooks';

import { backend } from '../../backend/server.ts';
import { fileURL } from '../../state/files.ts';
import { deleteMaterial } from '../../state/materials.ts';
import type { LibraryItem } from '../../state/materials.ts';
import { statusLabels } from './status-labels.ts';

/** One material: its status, its URI and the time until it expires. */
export function MaterialCard({ item }: { item: LibraryItem }) {
  const { material, verificationUrl, pollError } = item;
  const { id, name, type, status, uri, preview_url: preview } = material;
  return (
    <li class="card material" data-status={status}>
      {preview === null ? (
        <div class="material-placeholder" aria-hidden="true" />
      ) : (
        <img class="material-preview" src={fileURL(preview)} alt="" />
      )}
      <div class="material-text">
        <h2>{name}</h2>
        <p class="meta">
          <span class="tag">{type}</span>
          <span class={`tag tag-${status}`}>{statusLabels[status] ?? status}</span>
          {pollError !== undefined && <span class="tag tag-busy">{pollError}</span>}
        </p>
        {uri !== null && <code class="uri">{uri}</code>}
        <Lifetime material={material} />
        {verificationUrl !== undefined && <IdentityCheck url={verificationUrl} />}
        <button
          type="button"
          class="secondary"
          aria-label={`Delete ${name}`}
          onClick={() => void deleteMaterial(id)}
        >
          Delete
        </button>
      </div>
    </li>
  );
}

/** Opens the identity check; with a gateway in the page, completes it here. */
function IdentityCheck({ url }: { url: string }) {
  const { finishIdentityCheck: finish } = backend;
  if (finish === undefined) {
    return (
      <p>
        <a class="button" href={url} target="_blank" rel="noreferrer">
          Open the identity check
        </a>
      </p>
    );
  }
  return (
    <p class="identity-check">
      <button type="button" class="primary small" onClick={() => void finish(url, 'succeeded')}>
        Complete the identity check
      </button>
      <button type="button" class="secondary small" onClick={() => void finish(url, 'failed')}>
        Fail it
      </button>
    </p>
  );
}

/** Shows the time until the material expires. */
function Lifetime({ material }: { material: Material }) {
  const { available_at: start, expires_at: end } = material;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  if (start === null || end === null) return null;
  const remaining = Math.max(0, Date.parse(end) - now);
  const share = remaining / (Date.parse(end) - Date.parse(start));
  return (
    <p class="lifetime">
      <span class="lifetime-bar" aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </span>
      <span>{remaining === 0 ? 'expired' : `${formatDuration(remaining)} left`}</span>
    </p>
  );
}

function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
}
