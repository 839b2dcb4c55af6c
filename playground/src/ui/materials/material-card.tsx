import { remove } from '../../state/materials.ts';
import type { Held } from '../../state/materials.ts';
import { Life } from './life.tsx';
import { statusWords } from './status-words.ts';

/** One material: what it is, what it waits for, and how long it lives. */
export function MaterialCard({ held: { material, verificationUrl, trouble } }: { held: Held }) {
  const { id, name, type, status, uri, preview_url: preview } = material;
  return (
    <li class="card material" data-status={status}>
      {preview === null ? (
        <div class="material-blank" aria-hidden="true" />
      ) : (
        <img class="material-preview" src={preview} alt="" />
      )}
      <div class="material-words">
        <h2>{name}</h2>
        <p class="facts">
          <span class="tag">{type}</span>
          <span class={`tag tag-${status}`}>{statusWords[status] ?? status}</span>
          {trouble !== undefined && <span class="tag tag-busy">{trouble}</span>}
        </p>
        {uri !== null && <code class="uri">{uri}</code>}
        <Life material={material} />
        {verificationUrl !== undefined && (
          <p>
            <a class="button" href={verificationUrl} target="_blank" rel="noreferrer">
              Open the identity check
            </a>
          </p>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={`Delete ${name}`}
          onClick={() => void remove(id)}
        >
          Delete
        </button>
      </div>
    </li>
  );
}
