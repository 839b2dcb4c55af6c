import type { MaterialType } from 'polygate';
import { useState } from 'preact/hooks';

import { registerMaterial, registration } from '../../state/materials.ts';
import { Choice } from '../parts/choice.tsx';
import { CreateForm } from '../parts/create-form.tsx';

/** Registers a file by its URL. If it shows a real person, that person must verify their identity. */
export function MaterialForm() {
  const [url, setUrl] = useState('https://files.example/portrait.png');
  const [type, setType] = useState<MaterialType>('image');
  const [hasPerson, setHasPerson] = useState(false);
  const register = () => {
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
    <CreateForm
      main={{ type: 'url', label: 'Public URL of the file', value: url, onChange: setUrl }}
      action="Register"
      onSubmit={() => void register()}
      creation={registration.value}
    >
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
    </CreateForm>
  );
}

const types = [
  ['image', 'Image'],
  ['video', 'Video'],
  ['audio', 'Audio'],
] as const;
