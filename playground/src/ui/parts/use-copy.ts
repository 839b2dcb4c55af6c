import { useEffect, useState } from 'preact/hooks';

import { announce } from '../../state/announce.ts';

/** Copies text to the clipboard, and announces `message`. `isCopied` is true for two seconds after that. */
export function useCopy(message = 'Copied.') {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = window.setTimeout(() => setIsCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [isCopied]);
  const copy = async (text: string | Promise<string>) => {
    try {
      await navigator.clipboard.writeText(await text);
      setIsCopied(true);
      announce(message);
    } catch {
      announce('The browser did not allow copying.');
    }
  };
  return { isCopied, copy };
}
