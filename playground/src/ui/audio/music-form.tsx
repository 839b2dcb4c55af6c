import { useState } from 'preact/hooks';

import { startJob } from '../../state/jobs.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { ModelSelect } from '../parts/model-select.tsx';
import { usd } from '../parts/money.tsx';
import { useModel } from '../parts/use-model.ts';

/** Generates music, with or without lyrics. */
export function MusicForm() {
  const [model, setModel] = useModel('music');
  const [prompt, setPrompt] = useState('A slow waltz for harmonica and rain');
  const [lyrics, setLyrics] = useState('Boats come home, one by one');
  const [style, setStyle] = useState<'instrumental' | 'lyrics'>('instrumental');
  const price = model?.pricing?.unitPriceUsd;
  const generate = () => {
    if (model === undefined) return;
    const vocals =
      style === 'lyrics' ? { lyrics, is_instrumental: false } : { is_instrumental: true };
    startJob({ kind: 'music', params: { model: model.id, prompt, ...vocals } });
  };
  return (
    <form
      class="create-form"
      onSubmit={(event) => {
        event.preventDefault();
        generate();
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
      {style === 'lyrics' && (
        <Field label="Lyrics">
          <textarea
            required
            rows={2}
            value={lyrics}
            onInput={({ currentTarget }) => setLyrics(currentTarget.value)}
          />
        </Field>
      )}
      <div class="create-row">
        <ModelSelect purpose="music" value={model?.id} onChange={setModel} />
        <Choice label="Style" options={styles} value={style} onChange={setStyle} />
        <div class="create-submit">
          <button type="submit" class="primary" disabled={model === undefined}>
            Generate {price !== undefined && <span class="price">{usd(price)}</span>}
          </button>
        </div>
      </div>
    </form>
  );
}

const styles = [
  ['instrumental', 'Instrumental'],
  ['lyrics', 'With lyrics'],
] as const;
