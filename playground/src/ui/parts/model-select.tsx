import { modelsFor } from '../../state/account.ts';
import type { Purpose } from '../../state/account.ts';
import { Field } from './field.tsx';

interface ModelSelectProps {
  purpose: Purpose;
  value: string | undefined;
  onChange: (id: string) => void;
}

/** Selects one of the models for a purpose. */
export function ModelSelect({ purpose, value, onChange }: ModelSelectProps) {
  const models = modelsFor(purpose);
  const selected = models.find(({ id }) => id === value) ?? models[0];
  return (
    <Field label="Model">
      <select
        value={selected?.id ?? ''}
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
