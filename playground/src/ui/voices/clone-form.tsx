import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { cloneVoice, voiceCreation } from '../../state/voices.ts';
import { Field } from '../parts/field.tsx';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** Clones a voice from a recording. */
export function CloneForm() {
  const [url, setUrl] = useState('https://files.example/recording.wav');
  const [text, setText] = useState('This is what I sound like.');
  const [name, setName] = useState('My own voice');
  const { busy: isBusy, problem } = voiceCreation.value;
  return (
    <form
      class="create-form"
      onSubmit={(event) => {
        event.preventDefault();
        void cloneVoice({ audio_url: url, text, display_name: name });
      }}
    >
      <Field label="Public URL of the recording">
        <input
          required
          type="url"
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </Field>
      <div class="create-row">
        <Field label="Name">
          <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label="Transcript">
          <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </Field>
        <div class="create-submit">
          <button type="submit" class="primary" disabled={isBusy}>
            Clone <span class="price">{usd(estimate.voiceClone({ previewText: text }))}</span>
          </button>
        </div>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
