import { drop, run } from '../../state/jobs.ts';
import type { Job } from '../../state/jobs.ts';
import { wordsOf } from '../../state/order.ts';
import { Icon } from '../parts/icon.tsx';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { JobProgress } from './job-progress.tsx';
import { JobResult } from './job-result.tsx';

/** One order: how far it is, what came of it, what it cost, and how it was found again. */
export function JobCard({ job }: { job: Job }) {
  const { order, state, urls, problem } = job;
  const words = wordsOf(order);
  return (
    <li class="card job" data-state={state}>
      {urls.length > 0 ? <JobResult order={order} urls={urls} /> : <JobProgress job={job} />}
      <div class="job-words">
        <p class="job-prompt">{words}</p>
        <p class="facts">
          <Cost job={job} />
          {job.replayed === true && <span class="tag tag-replay">found by its key</span>}
          {job.trouble !== undefined && (
            <span class="tag tag-busy">{job.trouble}, still waiting</span>
          )}
        </p>
      </div>
      {problem && (
        <ProblemNote problem={problem}>
          {state === 'stuck' && (
            <button type="button" class="quiet" onClick={() => void run(job)}>
              {job.receipt === undefined ? 'Ask again, same key' : 'Wait on'}
            </button>
          )}
        </ProblemNote>
      )}
      <button
        type="button"
        class="bare job-drop"
        aria-label={`Put away: ${words}`}
        onClick={() => drop(job.id)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function Cost({ job: { order, costUsd, state } }: { job: Job }) {
  const back = state === 'failed' && ' returned';
  return (
    <span>
      {order.params.model}
      {costUsd !== undefined && `  ·  ${usd(costUsd)}`}
      {back}
    </span>
  );
}
