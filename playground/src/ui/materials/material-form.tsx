import type { MaterialType } from 'polygate';
import { useState } from 'preact/hooks';

import { registerMaterial, registration } from '../../state/materials.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** Registers a file by its URL. If it shows a real person, that person must verify their identity. */
export function MaterialForm() {
  const [url, setUrl] = useState('https://files.example/portrait.png');
  const [type, setType] = useState<MaterialType>('image');
  const [hasPerson, setHasPerson] = useState(false);
  const { busy: isBusy, problem } = registration.value;
  const submit = () => {
    if (type === 'audio' || !hasPerson) return registerMaterial({ url, type });
    return registerMaterial({
      url,
      type,
      real_person: {
        consent_confirmed: true,
        callback_url: new URL('/verified', location.href).href,
      },
    });
  };
  return (
    <form
      class="create-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label="Public URL of the file">
        <input
          required
          type="url"
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </Field>
      <div class="create-row">
        <Choice label="Type" options={types} value={type} onChange={setType} />
        <label class="check">
          <input
            type="checkbox"
            disabled={type === 'audio'}
            checked={hasPerson && type !== 'audio'}
            onChange={({ currentTarget }) => setHasPerson(currentTarget.checked)}
          />
          <span>It shows a real person who has given consent</span>
        </label>
        <div class="create-submit">
          <button type="submit" class="primary" disabled={isBusy}>
            Register
          </button>
        </div>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}

const types = [
  ['image', 'Image'],
  ['video', 'Video'],
  ['audio', 'Audio'],
] as const;
