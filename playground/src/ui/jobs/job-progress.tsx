import type { Job } from '../../state/jobs.ts';

const labels: Readonly<Record<Job['state'], string>> = {
  submitting: 'Submitting',
  queued: 'Queued',
  running: 'Running',
  succeeded: 'Ready',
  failed: 'Failed',
  error: 'Interrupted',
};

/** Path length of the polygon, so that 1 is one percent. */
const circumference = 100;

/** Shows the progress of a job as the outline of a polygon. */
export function JobProgress({ job: { state, progress } }: { job: Job }) {
  const isIdle = state === 'submitting' || state === 'queued';
  return (
    <div class="progress" data-state={state}>
      <svg viewBox="0 0 64 64" aria-hidden="true">
        <path class="progress-rest" d={polygon} pathLength={circumference} />
        <path
          class="progress-done"
          d={polygon}
          pathLength={circumference}
          stroke-dasharray={`${isIdle ? 12 : progress} ${circumference}`}
        />
      </svg>
      <p>
        {labels[state]}
        {state === 'running' && ` ${Math.round(progress)}%`}
      </p>
      <progress class="visually-hidden" max={100} value={progress} aria-label="Progress" />
    </div>
  );
}

const polygon = 'M32 5 55.4 18.5v27L32 59 8.6 45.5v-27Z';
