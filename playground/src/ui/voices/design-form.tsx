import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { designVoice, voiceMaking } from '../../state/voices.ts';
import { Field } from '../parts/field.tsx';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** A voice from words about it. */
export function DesignForm() {
  const [prompt, setPrompt] = useState('A retired captain, dry and kind');
  const [previewText, setPreviewText] = useState('Welcome aboard.');
  const [name, setName] = useState('The Captain');
  const { busy, problem } = voiceMaking.value;
  return (
    <form
      class="maker"
      onSubmit={(event) => {
        event.preventDefault();
        void designVoice({
          prompt,
          preview_text: previewText,
          display_name: name,
          description: prompt,
        });
      }}
    >
      <Field label="What the voice is like">
        <textarea
          required
          rows={2}
          value={prompt}
          onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
        />
      </Field>
      <div class="maker-row">
        <Field label="Name">
          <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label="First words">
          <input
            required
            value={previewText}
            onInput={({ currentTarget }) => setPreviewText(currentTarget.value)}
          />
        </Field>
        <div class="maker-go">
          <button type="submit" class="primary" disabled={busy}>
            Design <span class="price">{usd(estimate.voiceDesign({ previewText }))}</span>
          </button>
        </div>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
