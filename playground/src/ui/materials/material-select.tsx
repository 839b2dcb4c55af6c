import { library } from '../../state/materials.ts';
import { Field } from '../parts/field.tsx';

/** Selects an available image from the library. */
export function MaterialSelect(props: { value: string; onChange: (uri: string) => void }) {
  const available = library.value.filter(
    ({ material: { status, type } }) => status === 'available' && type === 'image',
  );
  return (
    <Field label="Material">
      <select
        value={props.value}
        onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
      >
        <option value="">None</option>
        {available.map(({ material: { id, name, uri } }) => (
          <option key={id} value={uri ?? ''}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
