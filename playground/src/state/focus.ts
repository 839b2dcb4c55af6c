/**
 * Moves the focus after the page has changed, because an element that is removed takes the focus with it. The first
 * selector that matches wins.
 */
export function focusSoon(...selectors: readonly string[]): void {
  window.requestAnimationFrame(() => {
    for (const selector of selectors) {
      const element = document.querySelector<HTMLElement>(selector);
      if (element === null) continue;
      element.focus();
      return;
    }
  });
}
