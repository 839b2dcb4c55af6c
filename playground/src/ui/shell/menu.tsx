import { jobs } from '../../state/jobs.ts';
import { currentView, views } from '../../state/view.ts';
import type { View } from '../../state/view.ts';
import { Icon } from '../parts/icon.tsx';

const labels: Readonly<Record<View, string>> = {
  chat: 'Chat',
  images: 'Images',
  video: 'Video',
  audio: 'Audio',
  voices: 'Voices',
  materials: 'Materials',
  wallet: 'Balance',
  lab: 'Control room',
};

/** Links to all views. */
export function Menu() {
  return (
    <nav class="menu" aria-label="Views">
      <ul>
        {views.map((view) => (
          <li key={view} class={`menu-${view}`}>
            <a href={`#${view}`} aria-current={currentView.value === view ? 'page' : undefined}>
              <Icon name={view} />
              <span>{labels[view]}</span>
              <RunningCount view={view} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The number of unfinished jobs in a view. */
function RunningCount({ view }: { view: View }) {
  const count = jobs.value.filter(
    ({ request: { kind }, state }) =>
      ['submitting', 'queued', 'running'].includes(state) && viewOf[kind] === view,
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
