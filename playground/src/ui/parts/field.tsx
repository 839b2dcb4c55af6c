import type { ComponentChildren } from 'preact';

/** A labeled form control. */
export function Field(props: { label: string; hint?: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span class="field-label">{props.label}</span>
      {props.children}
      {props.hint !== undefined && <span class="hint">{props.hint}</span>}
    </label>
  );
}
