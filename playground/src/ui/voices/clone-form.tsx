import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { cloneVoice, voiceMaking } from '../../state/voices.ts';
import { Field } from '../parts/field.tsx';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** A voice from a recording of it. */
export function CloneForm() {
  const [url, setUrl] = useState('https://files.example/recording.wav');
  const [text, setText] = useState('This is what I sound like.');
  const [name, setName] = useState('My own voice');
  const { busy, problem } = voiceMaking.value;
  return (
    <form
      class="maker"
      onSubmit={(event) => {
        event.preventDefault();
        void cloneVoice({ audio_url: url, text, display_name: name });
      }}
    >
      <Field label="Recording, a public address">
        <input
          required
          type="url"
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </Field>
      <div class="maker-row">
        <Field label="Name">
          <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label="What is said in it">
          <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </Field>
        <div class="maker-go">
          <button type="submit" class="primary" disabled={busy}>
            Clone <span class="price">{usd(estimate.voiceClone({ previewText: text }))}</span>
          </button>
        </div>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
