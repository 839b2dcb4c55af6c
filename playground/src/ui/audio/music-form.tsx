import { useState } from 'preact/hooks';

import { order } from '../../state/jobs.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { ModelSelect } from '../parts/model-select.tsx';
import { usd } from '../parts/money.tsx';
import { useModel } from '../parts/use-model.ts';

/** What a song is like, and what is sung in it. */
export function MusicForm() {
  const [model, choose] = useModel('music');
  const [prompt, setPrompt] = useState('A slow waltz for a harmonica and rain');
  const [lyrics, setLyrics] = useState('Boats come home, one by one');
  const [how, setHow] = useState<'sung' | 'played'>('played');
  const price = model?.pricing?.unitPriceUsd;
  const play = () => {
    if (model === undefined) return;
    const sung = how === 'sung' ? { lyrics, is_instrumental: false } : { is_instrumental: true };
    order({ kind: 'music', params: { model: model.id, prompt, ...sung } });
  };
  return (
    <form
      class="maker"
      onSubmit={(event) => {
        event.preventDefault();
        play();
      }}
    >
      <Field label="Prompt">
        <textarea
          required
          rows={2}
          value={prompt}
          onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
        />
      </Field>
      {how === 'sung' && (
        <Field label="Lyrics">
          <textarea
            required
            rows={2}
            value={lyrics}
            onInput={({ currentTarget }) => setLyrics(currentTarget.value)}
          />
        </Field>
      )}
      <div class="maker-row">
        <ModelSelect purpose="music" value={model?.id} onChange={choose} />
        <Choice label="Song" options={ways} value={how} onChange={setHow} />
        <div class="maker-go">
          <button type="submit" class="primary" disabled={model === undefined}>
            Compose {price !== undefined && <span class="price">{usd(price)}</span>}
          </button>
        </div>
      </div>
    </form>
  );
}

const ways = [
  ['played', 'Instrumental'],
  ['sung', 'With lyrics'],
] as const;
