import { useState } from 'preact/hooks';

import {
  changeSettings,
  changedSettings,
  chatSettings,
  resetSettings,
  throughAiSdk,
} from '../../state/chat-settings.ts';
import { Field } from '../parts/field.tsx';

/** System prompt and sampling of the next messages, and the way they are sent. */
export function SettingsPanel() {
  const { systemPrompt, temperature, topP, maxTokens } = chatSettings.value;
  const [resets, setResets] = useState(0);
  return (
    <div class="settings">
      <Field label="System prompt">
        <textarea
          rows={2}
          placeholder="None"
          value={systemPrompt}
          onInput={({ currentTarget }) => changeSettings({ systemPrompt: currentTarget.value })}
        />
      </Field>
      <div key={resets} class="settings-row">
        <NumberField
          label="Temperature"
          hint="0 to 2"
          max={2}
          step={0.1}
          value={temperature}
          onChange={(value) => changeSettings({ temperature: value })}
        />
        <NumberField
          label="Top P"
          hint="0 to 1"
          max={1}
          step={0.05}
          value={topP}
          onChange={(value) => changeSettings({ topP: value })}
        />
        <NumberField
          label="Max tokens"
          hint="1 or more"
          min={1}
          step={1}
          value={maxTokens}
          onChange={(value) => changeSettings({ maxTokens: value })}
        />
      </div>
      <div class="settings-foot">
        <label class="check">
          <input
            type="checkbox"
            role="switch"
            checked={throughAiSdk.value}
            onChange={({ currentTarget }) => {
              throughAiSdk.value = currentTarget.checked;
            }}
          />
          Through the AI SDK
        </label>
        <button
          type="button"
          class="ghost"
          disabled={changedSettings.value === 0}
          onClick={() => {
            resetSettings();
            setResets(resets + 1);
          }}
        >
          Reset
        </button>
      </div>
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  hint: string;
  min?: number;
  max?: number;
  step: number;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

/**
 * A number that is not sent if the field is empty, or while its value is outside the range. The field keeps its own text,
 * because the value of an unfinished number such as `0.` is empty in some browsers.
 */
function NumberField({ label, hint, min = 0, max, step, value, onChange }: NumberFieldProps) {
  return (
    <Field label={label} hint={hint}>
      <input
        type="number"
        inputMode="decimal"
        placeholder="Default"
        min={min}
        max={max ?? ''}
        step={step}
        defaultValue={value ?? ''}
        onInput={({ currentTarget: { valueAsNumber, validity } }) => {
          const isValid = !validity.rangeUnderflow && !validity.rangeOverflow;
          onChange(isValid && Number.isFinite(valueAsNumber) ? valueAsNumber : undefined);
        }}
      />
    </Field>
  );
}
