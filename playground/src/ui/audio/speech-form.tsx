import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { order } from '../../state/jobs.ts';
import { voices } from '../../state/voices.ts';
import { Field } from '../parts/field.tsx';
import { ModelSelect } from '../parts/model-select.tsx';
import { usd } from '../parts/money.tsx';
import { useModel } from '../parts/use-model.ts';

/** A text and the voice that reads it. */
export function SpeechForm() {
  const [model, choose] = useModel('speech');
  const [text, setText] = useState('The tide is coming in. Mind the step.');
  const [wanted, setVoice] = useState('');
  const able = voices.value.filter(({ compatible_models: fits }) => fits.includes(model?.id ?? ''));
  const voice = able.find(({ voice_id: id }) => id === wanted) ?? able[0];
  const price = estimate.speech(model?.pricing, text);
  const speak = () => {
    if (model === undefined || voice === undefined) return;
    order({ kind: 'speech', params: { model: model.id, text, voice_id: voice.voice_id } });
  };
  return (
    <form
      class="maker"
      onSubmit={(event) => {
        event.preventDefault();
        speak();
      }}
    >
      <Field label="Text">
        <textarea
          required
          rows={2}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Field>
      <div class="maker-row">
        <ModelSelect purpose="speech" value={model?.id} onChange={choose} />
        <Field label="Voice">
          <select
            value={voice?.voice_id ?? ''}
            onChange={({ currentTarget }) => setVoice(currentTarget.value)}
          >
            {able.map(({ voice_id: id, display_name: name, language }) => (
              <option key={id} value={id}>
                {name}, {language}
              </option>
            ))}
          </select>
        </Field>
        <div class="maker-go">
          <button type="submit" class="primary" disabled={voice === undefined}>
            Speak {price !== undefined && <span class="price">{usd(price)}</span>}
          </button>
        </div>
      </div>
    </form>
  );
}
