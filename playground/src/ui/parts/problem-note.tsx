import type { ComponentChildren } from 'preact';

import type { Problem } from '../../state/problem.ts';

/** What a message of the client does not say by itself. */
const outcomes: Readonly<Record<string, string>> = {
  rejected: 'The gateway said no. Nothing was charged.',
  'not-sent': 'The gateway never saw it. Nothing was charged.',
};

/** What went wrong, and what is known about the money. */
export function ProblemNote({
  problem,
  children,
}: {
  problem: Problem;
  children?: ComponentChildren;
}) {
  const { name, message, outcome = '' } = problem;
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{name}</strong>
        {outcome !== '' && <span class="tag">{outcome}</span>}
      </p>
      <p class="problem-text">{message}</p>
      {outcomes[outcome] !== undefined && <p class="problem-text">{outcomes[outcome]}</p>}
      {children}
    </div>
  );
}
