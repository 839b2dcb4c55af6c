import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { designVoice, voiceCreation } from '../../state/voices.ts';
import { Field } from '../parts/field.tsx';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** Designs a voice from a description. */
export function DesignForm() {
  const [prompt, setPrompt] = useState('A retired captain, dry and kind');
  const [previewText, setPreviewText] = useState('Welcome aboard.');
  const [name, setName] = useState('The Captain');
  const { busy: isBusy, problem } = voiceCreation.value;
  return (
    <form
      class="create-form"
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
      <Field label="Description of the voice">
        <textarea
          required
          rows={2}
          value={prompt}
          onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
        />
      </Field>
      <div class="create-row">
        <Field label="Name">
          <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label="Preview text">
          <input
            required
            value={previewText}
            onInput={({ currentTarget }) => setPreviewText(currentTarget.value)}
          />
        </Field>
        <div class="create-submit">
          <button type="submit" class="primary" disabled={isBusy}>
            Design <span class="price">{usd(estimate.voiceDesign({ previewText }))}</span>
          </button>
        </div>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
