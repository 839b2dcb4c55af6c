import type { ComponentChildren } from 'preact';

import { CopyButton } from '../parts/copy-button.tsx';

interface FactProps {
  name: string;
  /** The text to copy; undefined if there is nothing to copy. */
  copy?: string | undefined;
  children: ComponentChildren;
}

/** A name and a value, which can be copied. */
export function Fact({ name, copy, children }: FactProps) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>
        <span class={copy === undefined ? 'fact-value' : 'fact-value fact-code'} title={copy}>
          {children}
        </span>
        {copy !== undefined && <CopyButton text={copy} label={`Copy: ${name}`} />}
      </dd>
    </div>
  );
}
