import { promptOf } from '../../state/generation-request.ts';
import type { GenerationRequest } from '../../state/generation-request.ts';
import { removeJob, runJob } from '../../state/jobs.ts';
import type { Job } from '../../state/jobs.ts';
import { Player } from '../audio/player.tsx';
import { ViewCode } from '../code/view-code.tsx';
import { Icon } from '../parts/icon.tsx';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { JobProgress } from './job-progress.tsx';

/** One job: its progress or results, its cost and its errors. */
export function JobCard({ job }: { job: Job }) {
  const { request, state, urls, problem } = job;
  const prompt = promptOf(request);
  return (
    <li class="card job" data-state={state}>
      {urls.length > 0 ? <JobResult request={request} urls={urls} /> : <JobProgress job={job} />}
      <div class="job-text">
        <p class="job-prompt">{prompt}</p>
        <p class="meta">
          <Cost job={job} />
          {job.replayed === true && <span class="tag tag-replay">recovered by key</span>}
          {job.pollError !== undefined && (
            <span class="tag tag-busy">{job.pollError}, still polling</span>
          )}
          <ViewCode call={{ ...request, idempotencyKey: job.id }} iconFor={prompt} />
        </p>
      </div>
      {problem && (
        <ProblemNote problem={problem}>
          {state === 'error' && (
            <button type="button" class="secondary" onClick={() => void runJob(job)}>
              {job.receipt === undefined ? 'Retry with the same key' : 'Resume waiting'}
            </button>
          )}
        </ProblemNote>
      )}
      <button
        type="button"
        class="plain job-remove"
        aria-label={`Remove: ${prompt}`}
        onClick={() => removeJob(job.id)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function Cost({ job: { request, costUsd } }: { job: Job }) {
  return (
    <span>
      {request.params.model}
      {costUsd !== undefined && `  ·  ${usd(costUsd)}`}
    </span>
  );
}

function JobResult({ request, urls }: { request: GenerationRequest; urls: readonly string[] }) {
  const prompt = promptOf(request);
  return (
    <div class="result">
      {urls.map((url) => {
        switch (request.kind) {
          case 'image':
            return (
              <a key={url} href={url} target="_blank" rel="noreferrer">
                <img src={url} alt={prompt} loading="lazy" />
              </a>
            );
          case 'video':
            return (
              <video key={url} src={url} aria-label={prompt} controls loop muted playsInline />
            );
          case 'speech':
          case 'music':
            return <Player key={url} url={url} name={prompt} />;
        }
      })}
    </div>
  );
}
