import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

interface StickyBox {
  box: RefObject<HTMLDivElement | null>;
  /** Whether the box stays at its bottom while its content grows. */
  isAtBottom: boolean;
  jumpToBottom: () => void;
}

/** Keeps a box scrolled to its bottom while its first child grows, unless the user has scrolled up. */
export function useStickToBottom(): StickyBox {
  const box = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [isAtBottom, setIsAtBottom] = useState(true);
  const setSticks = (value: boolean) => {
    sticks.current = value;
    setIsAtBottom(value);
  };
  const jumpToBottom = useCallback(() => {
    setSticks(true);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);
  useEffect(() => {
    const { current } = box;
    if (current?.firstElementChild == null) return;
    let last = current.scrollTop;
    const watch = () => {
      const { scrollTop, scrollHeight, clientHeight } = current;
      // Only the user scrolls up. A position can be a fraction of a pixel short of the bottom.
      if (scrollHeight - clientHeight - scrollTop < 4) setSticks(true);
      else if (scrollTop < last) setSticks(false);
      last = scrollTop;
    };
    const observer = new ResizeObserver(() => {
      if (sticks.current) current.scrollTop = current.scrollHeight;
    });
    observer.observe(current);
    observer.observe(current.firstElementChild);
    current.addEventListener('scroll', watch, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', watch);
    };
  }, []);
  return { box, isAtBottom, jumpToBottom };
}
