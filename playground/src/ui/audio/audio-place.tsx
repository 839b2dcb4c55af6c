import { useState } from 'preact/hooks';

import { Gallery } from '../jobs/gallery.tsx';
import { Choice } from '../parts/choice.tsx';
import { MusicForm } from './music-form.tsx';
import { SpeechForm } from './speech-form.tsx';

/** Speech and music. */
export function AudioPlace() {
  const [what, setWhat] = useState<'speech' | 'music'>('speech');
  return (
    <section aria-labelledby="audio-title">
      <header class="place-head">
        <h1 id="audio-title">Audio</h1>
        <Choice quiet label="What to make" options={kinds} value={what} onChange={setWhat} />
      </header>
      {what === 'speech' ? <SpeechForm /> : <MusicForm />}
      <Gallery kinds={['speech', 'music']} emptyTitle="Nothing to hear yet">
        Let a voice read a text, or have a song made. The reference gateway plays a tune of its own.
      </Gallery>
    </section>
  );
}

const kinds = [
  ['speech', 'Speech'],
  ['music', 'Music'],
] as const;
