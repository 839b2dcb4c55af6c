import { Icon } from './icon.tsx';
import { useCopy } from './use-copy.ts';

/** Copies text to the clipboard. `label` is what screen readers read; the visible text is "Copy". */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy();
  return (
    <button type="button" class="ghost" aria-label={label} onClick={() => void copy(text)}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}
