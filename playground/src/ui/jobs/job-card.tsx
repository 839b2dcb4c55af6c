import { fileURL } from '../../state/files.ts';
import { promptOf } from '../../state/generation-request.ts';
import type { GenerationRequest } from '../../state/generation-request.ts';
import type { Job } from '../../state/jobs.ts';
import { Player } from '../audio/player.tsx';
import { ViewCode } from '../code/view-code.tsx';
import { usd } from '../parts/money.tsx';
import { FailedJob } from './failed-job.tsx';
import { JobProgress } from './job-progress.tsx';
import { openLightbox } from './lightbox.tsx';
import { RemoveButton } from './remove-button.tsx';
import { RemovedJob } from './removed-job.tsx';
import { ResultActions } from './result-actions.tsx';

interface JobCardProps {
  job: Job;
  /** The images of the gallery, which the lightbox shows. */
  images: readonly { url: string; alt: string }[];
}

/** One job: its progress, its results or its error, and its cost. */
export function JobCard({ job, images }: JobCardProps) {
  const { request, state, urls, problem } = job;
  const prompt = promptOf(request);
  if (job.isRemoved === true) return <RemovedJob job={job} />;
  if (problem !== undefined) return <FailedJob job={job} problem={problem} />;
  return (
    <li class="card job" data-state={state} data-job={job.id}>
      {urls.length > 0 ? (
        <JobResult request={request} urls={urls} images={images} />
      ) : (
        <JobProgress job={job} />
      )}
      <div class="job-text">
        <p class="job-prompt" title={prompt}>
          {prompt}
        </p>
        <div class="job-foot">
          <p class="meta">
            <span>{request.params.model}</span>
            {job.costUsd !== undefined && <span class="money">{usd(job.costUsd)}</span>}
            {job.replayed === true && <span class="tag tag-replay">recovered by key</span>}
            {job.isResumed === true && <span class="tag tag-replay">resumed from its receipt</span>}
            {job.pollError !== undefined && (
              <span class="tag tag-busy">{job.pollError}, still polling</span>
            )}
          </p>
          <div class="job-actions">
            {urls.map((url, index) => (
              <ResultActions key={url} url={url} name={prompt} number={index + 1} />
            ))}
            <ViewCode call={{ ...request, idempotencyKey: job.id }} iconFor={prompt} />
            <RemoveButton job={job} />
          </div>
        </div>
      </div>
    </li>
  );
}

interface JobResultProps extends Pick<JobCardProps, 'images'> {
  request: GenerationRequest;
  urls: readonly string[];
}

function JobResult({ request, urls, images }: JobResultProps) {
  const prompt = promptOf(request);
  return (
    <div class="result">
      {urls.map((url) => {
        switch (request.kind) {
          case 'image':
            return (
              <button
                key={url}
                type="button"
                class="result-image"
                aria-haspopup="dialog"
                onClick={() => openLightbox(images, url)}
              >
                <img src={fileURL(url)} alt={prompt} loading="lazy" />
              </button>
            );
          case 'video':
            return (
              <video
                key={url}
                src={fileURL(url)}
                aria-label={prompt}
                controls
                loop
                muted
                playsInline
              />
            );
          case 'speech':
          case 'music':
            return <Player key={url} url={url} name={prompt} />;
        }
      })}
    </div>
  );
}
