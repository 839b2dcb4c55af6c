import type { MaterialType } from 'polygate';
import { useState } from 'preact/hooks';

import { register, registering } from '../../state/materials.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** What is registered: an address on the web, and whether a real person can be seen. */
export function MaterialForm() {
  const [url, setUrl] = useState('https://files.example/portrait.png');
  const [type, setType] = useState<MaterialType>('image');
  const [person, setPerson] = useState(false);
  const { busy, problem } = registering.value;
  const send = () => {
    if (type === 'audio' || !person) return register({ url, type });
    const callback = new URL('/verified', location.href).href;
    return register({
      url,
      type,
      real_person: { consent_confirmed: true, callback_url: callback },
    });
  };
  return (
    <form
      class="maker"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field label="File, a public address">
        <input
          required
          type="url"
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </Field>
      <div class="maker-row">
        <Choice label="Type" options={types} value={type} onChange={setType} />
        <label class="check">
          <input
            type="checkbox"
            disabled={type === 'audio'}
            checked={person && type !== 'audio'}
            onChange={({ currentTarget }) => setPerson(currentTarget.checked)}
          />
          <span>A real person is in it, and has agreed</span>
        </label>
        <div class="maker-go">
          <button type="submit" class="primary" disabled={busy}>
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
