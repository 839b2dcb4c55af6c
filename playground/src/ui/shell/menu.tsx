import { useRef } from 'preact/hooks';

import { isRunning, jobs } from '../../state/jobs.ts';
import { currentView, views } from '../../state/view.ts';
import type { View } from '../../state/view.ts';
import { Icon } from '../parts/icon.tsx';
import { DocsLinks } from './docs-links.tsx';
import { viewLabels } from './view-labels.ts';

/** The views that a small screen lists under "More". */
const minor: readonly View[] = ['audio', 'voices', 'materials', 'wallet'];

/** Links to all views. */
export function Menu() {
  const more = useRef<HTMLDivElement>(null);
  const isMinor = minor.includes(currentView.value);
  return (
    <nav class="menu" aria-label="Views">
      <ul class="menu-list">
        {views.map((view, index) => (
          <li key={view} class={minor.includes(view) ? 'menu-minor' : ''}>
            <ViewLink view={view} shortcut={String(index + 1)} />
          </li>
        ))}
        <li class="menu-more">
          <button type="button" class="menu-link" popovertarget="more-views" data-current={isMinor}>
            <Icon name="more" />
            <span>More</span>
          </button>
        </li>
      </ul>
      <div
        ref={more}
        id="more-views"
        class="more-views"
        popover="auto"
        onClick={() => more.current?.hidePopover()}
      >
        <ul>
          {minor.map((view) => (
            <li key={view}>
              <ViewLink view={view} />
            </li>
          ))}
        </ul>
        <DocsLinks />
      </div>
    </nav>
  );
}

function ViewLink({ view, shortcut }: { view: View; shortcut?: string }) {
  const label = viewLabels[view];
  return (
    <a
      href={`#${view}`}
      class="menu-link"
      title={shortcut && `${label} (press ${shortcut})`}
      aria-keyshortcuts={shortcut}
      aria-current={currentView.value === view ? 'page' : undefined}
    >
      <Icon name={view} />
      <span>{label}</span>
      <RunningCount view={view} />
    </a>
  );
}

/** The number of unfinished jobs in a view. */
function RunningCount({ view }: { view: View }) {
  const count = jobs.value.filter(
    (job) => isRunning(job) && job.isRemoved !== true && viewOf[job.request.kind] === view,
  ).length;
  if (count === 0) return null;
  return (
    <span class="count">
      {count}
      <span class="visually-hidden"> running</span>
    </span>
  );
}

const viewOf = { image: 'images', video: 'video', speech: 'audio', music: 'audio' } as const;
