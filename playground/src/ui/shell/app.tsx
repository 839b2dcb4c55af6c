import { announcement } from '../../state/announce.ts';
import { here } from '../../state/route.ts';
import type { Place } from '../../state/route.ts';
import { AudioPlace } from '../audio/audio-place.tsx';
import { ChatPlace } from '../chat/chat-place.tsx';
import { ImagesPlace } from '../jobs/images-place.tsx';
import { VideoPlace } from '../jobs/video-place.tsx';
import { ControlRoom } from '../lab/control-room.tsx';
import { MaterialsPlace } from '../materials/materials-place.tsx';
import { VoicesPlace } from '../voices/voices-place.tsx';
import { WalletPlace } from '../wallet/wallet-place.tsx';
import { Menu } from './menu.tsx';
import { TopBar } from './top-bar.tsx';

const stages: Readonly<Record<Exclude<Place, 'lab'>, () => preact.JSX.Element>> = {
  chat: ChatPlace,
  images: ImagesPlace,
  video: VideoPlace,
  audio: AudioPlace,
  voices: VoicesPlace,
  materials: MaterialsPlace,
  wallet: WalletPlace,
};

/** The page: a bar, a menu, a stage, and the control room beside it where there is room. */
export function App() {
  const place = here.value;
  const Stage = stages[place === 'lab' ? 'chat' : place];
  return (
    <div class="shell" data-place={place}>
      <a class="skip" href="#stage" onClick={skip}>
        Skip to the content
      </a>
      <TopBar />
      <Menu />
      <main>
        <div class="stage" id="stage" tabIndex={-1}>
          <Stage key={place} />
        </div>
        <ControlRoom />
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}

/** The address is the place, so the link must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#stage')?.focus();
}
