import type { Voice } from 'polygate';

import { Player } from '../audio/player.tsx';

/** A voice: who it is, which models it suits, and how it sounds. */
export function VoiceCard({ voice }: { voice: Voice }) {
  const { display_name: name, language, description, preview_audio_url: preview } = voice;
  return (
    <li class="card voice">
      <h3>{name}</h3>
      <p class="soft">{description}</p>
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
