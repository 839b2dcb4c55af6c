import { useEffect } from 'preact/hooks';

import { currentView } from '../../state/view.ts';
import { viewLabels } from './view-labels.ts';

/** Names the current view in the title of the page, so that tabs and history entries can be distinguished. */
export function usePageTitle(): void {
  const label = viewLabels[currentView.value];
  useEffect(() => {
    document.title = `${label} · polygate playground`;
  }, [label]);
}
