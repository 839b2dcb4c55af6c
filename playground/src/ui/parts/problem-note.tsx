import type { ComponentChildren } from 'preact';

import type { Problem } from '../../state/problem.ts';

interface ProblemNoteProps {
  problem: Problem;
  /** What the user can do about it. */
  children?: ComponentChildren;
}

/** Shows an error. Its message says whether it may have been charged; the route and the request id follow in brackets. */
export function ProblemNote({ problem: { name, message }, children }: ProblemNoteProps) {
  const [, text = message, request] = /^(.*) (\[[^[\]]*\])$/s.exec(message) ?? [];
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{name}</strong>
      </p>
      <p class="problem-text">{text}</p>
      {request !== undefined && <p class="problem-request">{request.slice(1, -1)}</p>}
      {children}
    </div>
  );
}
