import type { Problem } from '../../../shared/problem.ts';
import { focusSoon } from '../../state/focus.ts';
import { promptOf } from '../../state/generation-request.ts';
import { runJob } from '../../state/jobs.ts';
import type { Job } from '../../state/jobs.ts';
import { ViewCode } from '../code/view-code.tsx';
import { Icon } from '../parts/icon.tsx';
import { usd } from '../parts/money.tsx';
import { nextStep } from './next-step.ts';
import { RemoveButton } from './remove-button.tsx';

/** A job that ended with an error: what happened and what to do next, in a few lines. */
export function FailedJob({ job, problem }: { job: Job; problem: Problem }) {
  const { request, state, costUsd, receipt } = job;
  const { name, message, summary = message, outcome } = problem;
  const step = nextStep(problem, state === 'error', receipt !== undefined);
  // The summary of a proxy says already that the request may have been charged, and the hint says what that means.
  const text = step !== undefined && outcome === 'unknown' ? summary : message;
  return (
    <li class="card job job-failed" data-state={state} data-job={job.id}>
      <Icon name="warning" />
      <div class="job-text" role="alert">
        <p class="job-prompt" title={promptOf(request)}>
          {promptOf(request)}
        </p>
        <p class="job-problem">
          <strong>{name}</strong> {text} {step?.hint}
        </p>
        <p class="meta">
          <span>{request.params.model}</span>
          {costUsd !== undefined && <span class="money">{usd(costUsd)}</span>}
          {name === 'PaymentRequiredError' && <a href="#wallet">Open the balance</a>}
        </p>
      </div>
      <div class="job-actions">
        {step !== undefined && (
          <button
            type="button"
            class="secondary small"
            onClick={() => {
              void runJob(job);
              focusSoon(`[data-job='${job.id}'] .job-actions button`);
            }}
          >
            <Icon name="retry" />
            {step.label}
          </button>
        )}
        <ViewCode call={{ ...request, idempotencyKey: job.id }} iconFor={promptOf(request)} />
        <RemoveButton job={job} />
      </div>
    </li>
  );
}
