import { useState } from 'preact/hooks';

import { voices } from '../../state/voices.ts';
import { Choice } from '../parts/choice.tsx';
import { CloneForm } from './clone-form.tsx';
import { DesignForm } from './design-form.tsx';
import { VoiceCard } from './voice-card.tsx';

/** Who can speak: the voices of the service, and one's own. */
export function VoicesPlace() {
  const [how, setHow] = useState<'design' | 'clone'>('design');
  const own = voices.value.filter(({ visibility }) => visibility === 'private');
  const shared = voices.value.filter(({ visibility }) => visibility !== 'private');
  return (
    <section aria-labelledby="voices-title">
      <header class="place-head">
        <h1 id="voices-title">Voices</h1>
        <Choice quiet label="How to make a voice" options={ways} value={how} onChange={setHow} />
      </header>
      {how === 'design' ? <DesignForm /> : <CloneForm />}
      <h2>Your own</h2>
      {own.length === 0 ? (
        <p class="soft">None yet. A voice that you clone or design is for you alone.</p>
      ) : (
        <ul class="gallery gallery-voices">
          {own.toReversed().map((voice) => (
            <VoiceCard key={voice.voice_id} voice={voice} />
          ))}
        </ul>
      )}
      <h2>Everybody’s</h2>
      <ul class="gallery gallery-voices">
        {shared.map((voice) => (
          <VoiceCard key={voice.voice_id} voice={voice} />
        ))}
      </ul>
    </section>
  );
}

const ways = [
  ['design', 'Design'],
  ['clone', 'Clone'],
] as const;
