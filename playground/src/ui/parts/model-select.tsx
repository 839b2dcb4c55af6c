import { modelsFor } from '../../state/account.ts';
import type { Purpose } from '../../state/account.ts';
import { Field } from './field.tsx';

interface ModelSelectProps {
  purpose: Purpose;
  value: string | undefined;
  onChange: (id: string) => void;
}

/** The models for a purpose, as the gateway lists them. */
export function ModelSelect({ purpose, value, onChange }: ModelSelectProps) {
  const models = modelsFor(purpose);
  const chosen = models.find(({ id }) => id === value) ?? models[0];
  return (
    <Field label="Model">
      <select
        value={chosen?.id ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {models.map(({ id, description }) => (
          <option key={id} value={id} title={description}>
            {id}
          </option>
        ))}
      </select>
    </Field>
  );
}
