import { announcement } from '../../state/announce.ts';
import { currentView } from '../../state/view.ts';
import type { View } from '../../state/view.ts';
import { AudioView } from '../audio/audio-view.tsx';
import { ChatView } from '../chat/chat-view.tsx';
import { CodeDialog } from '../code/view-code.tsx';
import { ImagesView } from '../jobs/images-view.tsx';
import { Lightbox } from '../jobs/lightbox.tsx';
import { VideoView } from '../jobs/video-view.tsx';
import { CallStrip } from '../lab/call-strip.tsx';
import { ControlRoom } from '../lab/control-room.tsx';
import { MaterialsView } from '../materials/materials-view.tsx';
import { Shortcuts } from '../parts/shortcuts-dialog.tsx';
import { StartView } from '../start/start-view.tsx';
import { VoicesView } from '../voices/voices-view.tsx';
import { WalletView } from '../wallet/wallet-view.tsx';
import { Menu } from './menu.tsx';
import { usePageTitle } from './page-title.ts';
import { TopBar } from './top-bar.tsx';
import { useViewShortcuts } from './use-view-shortcuts.ts';

const contents: Readonly<Record<Exclude<View, 'lab'>, () => preact.JSX.Element>> = {
  start: StartView,
  chat: ChatView,
  images: ImagesView,
  video: VideoView,
  audio: AudioView,
  voices: VoicesView,
  materials: MaterialsView,
  wallet: WalletView,
};

/** The page layout: top bar, menu, the current view and, on wide screens, the control room next to it. */
export function App() {
  const view = currentView.value;
  useViewShortcuts();
  usePageTitle();
  return (
    <div class="shell" data-view={view}>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to content
      </a>
      <TopBar />
      <Menu />
      <main>
        {view !== 'lab' && <Content view={view} />}
        {view !== 'start' && <ControlRoom />}
        {view !== 'start' && view !== 'lab' && <CallStrip />}
      </main>
      <Lightbox />
      <div class="visually-hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
      <CodeDialog />
      <Shortcuts />
    </div>
  );
}

function Content({ view }: { view: Exclude<View, 'lab'> }) {
  const View = contents[view];
  return (
    <div class="content" id="content" tabIndex={-1}>
      <View key={view} />
    </div>
  );
}

/** Moves the focus without changing the URL fragment, which selects the view. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('.content, .control')?.focus();
}
