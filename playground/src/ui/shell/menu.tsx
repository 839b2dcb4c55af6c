import { jobs } from '../../state/jobs.ts';
import { here, places } from '../../state/route.ts';
import type { Place } from '../../state/route.ts';
import { Icon } from '../parts/icon.tsx';

const names: Readonly<Record<Place, string>> = {
  chat: 'Chat',
  images: 'Images',
  video: 'Video',
  audio: 'Audio',
  voices: 'Voices',
  materials: 'Materials',
  wallet: 'Wallet',
  lab: 'Control',
};

/** The way to every place. */
export function Menu() {
  return (
    <nav class="menu" aria-label="Places">
      <ul>
        {places.map((place) => (
          <li key={place} class={`menu-${place}`}>
            <a href={`#${place}`} aria-current={here.value === place ? 'page' : undefined}>
              <Icon name={place} />
              <span>{names[place]}</span>
              <Running place={place} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** How many tasks are under way there. */
function Running({ place }: { place: Place }) {
  const count = jobs.value.filter(
    ({ order: { kind }, state }) =>
      ['sending', 'queued', 'running'].includes(state) && homes[kind] === place,
  ).length;
  if (count === 0) return null;
  return (
    <span class="count">
      {count}
      <span class="unseen"> under way</span>
    </span>
  );
}

const homes = { image: 'images', video: 'video', speech: 'audio', music: 'audio' } as const;
