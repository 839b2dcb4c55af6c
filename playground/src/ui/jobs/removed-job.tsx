import { focusSoon } from '../../state/focus.ts';
import { promptOf } from '../../state/generation-request.ts';
import { isRunning, restoreJob } from '../../state/jobs.ts';
import type { Job } from '../../state/jobs.ts';

/** Takes the place of a job that was removed, and restores it. */
export function RemovedJob({ job }: { job: Job }) {
  return (
    <li class="card job job-removed">
      <p>
        <span class="muted">Removed:</span> {promptOf(job.request)}
        {isRunning(job) && (
          <span class="muted">
            {' '}
            It continues at the gateway, and what was charged stays charged.
          </span>
        )}
      </p>
      <button
        type="button"
        class="secondary small"
        onClick={() => {
          restoreJob(job.id);
          focusSoon(`[data-job='${job.id}'] .job-actions button:last-of-type`);
        }}
      >
        Undo
      </button>
    </li>
  );
}
