import type { ComponentChildren } from 'preact';

import type { Problem } from '../../../shared/problem.ts';

interface ProblemNoteProps {
  problem: Problem;
  /** What the user can do about it. */
  children?: ComponentChildren;
}

/** Shows an error, and the request that it is about. */
export function ProblemNote({ problem: { name, message, request }, children }: ProblemNoteProps) {
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{name}</strong>
      </p>
      <p class="problem-text">{message}</p>
      {request !== undefined && <p class="problem-request">{request}</p>}
      {children}
    </div>
  );
}
