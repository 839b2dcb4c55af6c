import { areModelsLoading, modelsFor } from '../../state/account.ts';
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
        disabled={areModelsLoading.value}
        aria-busy={areModelsLoading.value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {models.length === 0 && (
          <option value="">{areModelsLoading.value ? 'Loading …' : 'None available'}</option>
        )}
        {models.map(({ id, description }) => (
          <option key={id} value={id} title={description}>
            {id}
          </option>
        ))}
      </select>
    </Field>
  );
}
