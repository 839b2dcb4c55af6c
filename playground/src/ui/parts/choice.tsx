import { useId } from 'preact/hooks';

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly (readonly [value: Value, label: string])[];
  value: Value;
  onChange: (value: Value) => void;
  /** Whether only screen readers read the label. */
  hideLabel?: boolean;
}

/** Radio buttons styled as a segmented control, so that arrow keys work. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, options, value, onChange, hideLabel = false } = props;
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</legend>
      <div class="choice-options">
        {options.length === 0 && <span class="choice-loading">Loading …</span>}
        {options.map(([option, text]) => (
          <label key={option} class="choice-option">
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
