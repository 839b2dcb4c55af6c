import type { Job } from '../../state/jobs.ts';

const words: Readonly<Record<Job['state'], string>> = {
  sending: 'Waiting for a slot or an answer',
  queued: 'Queued',
  running: 'Under way',
  succeeded: 'Ready',
  failed: 'Failed',
  stuck: 'Stopped',
};

/** Round the polygon, 0 to 100. */
const circumference = 100;

/** How far an order is: a polygon that closes. */
export function JobProgress({ job: { state, progress } }: { job: Job }) {
  const idle = state === 'sending' || state === 'queued';
  return (
    <div class="progress" data-state={state}>
      <svg viewBox="0 0 64 64" aria-hidden="true">
        <path class="progress-rest" d={polygon} pathLength={circumference} />
        <path
          class="progress-done"
          d={polygon}
          pathLength={circumference}
          stroke-dasharray={`${idle ? 12 : progress} ${circumference}`}
        />
      </svg>
      <p>
        {words[state]}
        {state === 'running' && ` ${Math.round(progress)} %`}
      </p>
      <progress class="unseen" max={100} value={progress} aria-label="Progress" />
    </div>
  );
}

const polygon = 'M32 5 55.4 18.5v27L32 59 8.6 45.5v-27Z';
