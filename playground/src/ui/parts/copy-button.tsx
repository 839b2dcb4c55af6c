import { useEffect, useState } from 'preact/hooks';

import { announce } from '../../state/announce.ts';
import { Icon } from './icon.tsx';

/** Copies text to the clipboard. `label` is what screen readers read; the visible text is "Copy". */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
    } catch {
      announce('The browser did not allow copying.');
    }
  };
  return (
    <button type="button" class="ghost" aria-label={label} onClick={() => void copy()}>
      <Icon name={copied ? 'check' : 'copy'} />
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
}
