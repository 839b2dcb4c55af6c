import { focusSoon } from '../../state/focus.ts';
import { promptOf } from '../../state/generation-request.ts';
import { removeJob } from '../../state/jobs.ts';
import type { Job } from '../../state/jobs.ts';
import { Icon } from '../parts/icon.tsx';

/** Removes a job from the page. Its task continues at the gateway. */
export function RemoveButton({ job }: { job: Job }) {
  return (
    <button
      type="button"
      class="plain"
      title="Remove from this page"
      aria-label={`Remove: ${promptOf(job.request)}`}
      onClick={() => {
        removeJob(job.id);
        focusSoon('.job-removed button');
      }}
    >
      <Icon name="close" />
    </button>
  );
}
