import type { ComponentChildren } from 'preact';

import type { Problem } from '../../state/problem.ts';

/** Explanations of outcomes that the client's messages do not include. */
const outcomes: Readonly<Record<string, string>> = {
  rejected: 'The gateway rejected the request. Nothing was charged.',
  'not-sent': 'The request never reached the gateway. Nothing was charged.',
};

/** Shows an error and whether it may have been charged. */
export function ProblemNote({
  problem,
  children,
}: {
  problem: Problem;
  children?: ComponentChildren;
}) {
  const { name, message, outcome = '', status } = problem;
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{name}</strong>
        {outcome !== '' && <span class="tag">{outcome}</span>}
        {status !== undefined && <span class="tag">status: {status}</span>}
      </p>
      <p class="problem-text">{message}</p>
      {outcomes[outcome] !== undefined && <p class="problem-text">{outcomes[outcome]}</p>}
      {children}
    </div>
  );
}
