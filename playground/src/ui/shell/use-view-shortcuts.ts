import { views } from '../../state/view.ts';
import { useHotkeys } from '../parts/hotkeys.ts';

/** The keys 1 to 9 open the views, in menu order. */
export function useViewShortcuts(): void {
  useHotkeys(
    Object.fromEntries(
      views.map((view, index) => [
        String(index + 1),
        () => {
          location.hash = view;
        },
      ]),
    ),
  );
}
