import { tokenize } from './tokens.ts';

/** A program with colors. The focus makes it possible to scroll it with the keyboard. */
export function Highlighted({ code, label }: { code: string; label: string }) {
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      <code>
        {tokenize(code).map(({ text, kind }, index) =>
          kind === 'plain' ? (
            text
          ) : (
            <span key={index} class={`token-${kind}`}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  );
}
