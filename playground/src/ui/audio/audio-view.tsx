import { useState } from 'preact/hooks';

import { Gallery } from '../jobs/gallery.tsx';
import { Choice } from '../parts/choice.tsx';
import { MusicForm } from './music-form.tsx';
import { SpeechForm } from './speech-form.tsx';

/** Generates speech and music. */
export function AudioView() {
  const [kind, setKind] = useState<'speech' | 'music'>('speech');
  return (
    <section aria-labelledby="audio-title">
      <header class="view-head">
        <h1 id="audio-title">Audio</h1>
        <Choice hideLabel label="Type of audio" options={kinds} value={kind} onChange={setKind} />
      </header>
      {kind === 'speech' ? <SpeechForm /> : <MusicForm />}
      <Gallery kinds={['speech', 'music']} emptyTitle="No audio yet">
        Generate speech from text, or music from a prompt. The reference gateway returns a sample
        tune.
      </Gallery>
    </section>
  );
}

const kinds = [
  ['speech', 'Speech'],
  ['music', 'Music'],
] as const;
