import { backend } from '../../backend/server.ts';
import { fileURL } from '../../state/files.ts';
import { Icon } from '../parts/icon.tsx';
import { useCopy } from '../parts/use-copy.ts';
import { fileName } from './file-name.ts';

interface ResultActionsProps {
  url: string;
  /** What the result shows. */
  name: string;
  /** Its position among the results of its job, from 1. */
  number: number;
}

/** Copies the URL of a result, and downloads the result. */
export function ResultActions({ url, name, number }: ResultActionsProps) {
  const { isCopied, copy } = useCopy('The URL was copied.');
  const suffix = number > 1 ? `${name} (${number})` : name;
  return (
    <>
      {/* The URLs of a gateway in the page lead nowhere outside of it. */}
      {!backend.isInPage && (
        <button
          type="button"
          class="plain"
          title={isCopied ? 'Copied' : 'Copy the URL'}
          aria-label={`Copy the URL: ${suffix}`}
          onClick={() => void copy(new URL(url, location.href).href)}
        >
          <Icon name={isCopied ? 'check' : 'copy'} />
        </button>
      )}
      {/* Browsers ignore `download` for other origins and open the file, which must not replace this page. */}
      <a
        class="plain"
        href={fileURL(url) ?? url}
        download={fileName(url, name, number)}
        target="_blank"
        rel="noreferrer"
        title="Download"
        aria-label={`Download: ${suffix}`}
      >
        <Icon name="download" />
      </a>
    </>
  );
}
