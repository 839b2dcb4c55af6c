import type { MaterialCreateParams, MaterialType } from 'polygate';
import { useState } from 'preact/hooks';

import { registerMaterial, registration } from '../../state/materials.ts';
import { Choice } from '../parts/choice.tsx';
import { CreateForm } from '../parts/create-form.tsx';

/** Registers a file by its URL. If it shows a real person, that person must verify their identity. */
export function MaterialForm() {
  const [url, setUrl] = useState('https://files.example/portrait.png');
  const [type, setType] = useState<MaterialType>('image');
  const [hasPerson, setHasPerson] = useState(false);
  const params = createParams(url, type, hasPerson);
  return (
    <CreateForm
      main={{ type: 'url', label: 'Public URL of the file', value: url, onChange: setUrl }}
      action="Register"
      call={{ kind: 'material', params }}
      onSubmit={() => void registerMaterial(params)}
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

function createParams(url: string, type: MaterialType, hasPerson: boolean): MaterialCreateParams {
  if (type === 'audio' || !hasPerson) return { url, type };
  const callback = new URL('/verified', location.href).href;
  return { url, type, real_person: { consent_confirmed: true, callback_url: callback } };
}

const types = [
  ['image', 'Image'],
  ['video', 'Video'],
  ['audio', 'Audio'],
] as const;
