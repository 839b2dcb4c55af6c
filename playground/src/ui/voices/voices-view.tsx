import type { Voice } from 'polygate';
import { useState } from 'preact/hooks';

import { areVoicesLoading, voices } from '../../state/voices.ts';
import { Player } from '../audio/player.tsx';
import { Choice } from '../parts/choice.tsx';
import { CloneForm } from './clone-form.tsx';
import { DesignForm } from './design-form.tsx';

/** Creates voices, and lists the account's own voices and those of the service. */
export function VoicesView() {
  const [method, setMethod] = useState<'design' | 'clone'>('design');
  const own = voices.value.filter(({ visibility }) => visibility === 'private');
  const shared = voices.value.filter(({ visibility }) => visibility !== 'private');
  return (
    <section aria-labelledby="voices-title">
      <header class="view-head">
        <h1 id="voices-title">Voices</h1>
        <Choice hideLabel label="Method" options={methods} value={method} onChange={setMethod} />
      </header>
      {method === 'design' ? <DesignForm /> : <CloneForm />}
      <h2>Your voices</h2>
      {own.length === 0 ? (
        <p class="muted">None yet. Only you can use the voices that you clone or design.</p>
      ) : (
        <ul class="gallery gallery-voices">
          {own.toReversed().map((voice) => (
            <VoiceCard key={voice.voice_id} voice={voice} />
          ))}
        </ul>
      )}
      <h2>Shared voices</h2>
      {areVoicesLoading.value && <p class="muted">Loading …</p>}
      <ul class="gallery gallery-voices">
        {shared.map((voice) => (
          <VoiceCard key={voice.voice_id} voice={voice} />
        ))}
      </ul>
    </section>
  );
}

const methods = [
  ['design', 'Design'],
  ['clone', 'Clone'],
] as const;

function VoiceCard({ voice }: { voice: Voice }) {
  const { display_name: name, language, description, preview_audio_url: preview } = voice;
  return (
    <li class="card voice">
      <h3>{name}</h3>
      <p class="muted">{description}</p>
      <p class="tags">
        {language !== '' && <span class="tag">{language}</span>}
        {voice.compatible_models.map((model) => (
          <span key={model} class="tag">
            {model}
          </span>
        ))}
      </p>
      {preview !== null && <Player url={preview} name={name} />}
    </li>
  );
}
