import type { ComponentChildren } from 'preact';

import { promptOf } from '../../state/generation-request.ts';
import type { GenerationRequest } from '../../state/generation-request.ts';
import { jobs } from '../../state/jobs.ts';
import { Empty } from '../parts/empty.tsx';
import { JobCard } from './job-card.tsx';

interface GalleryProps {
  kinds: readonly GenerationRequest['kind'][];
  emptyTitle: string;
  /** Text to show when the gallery is empty. */
  children: ComponentChildren;
}

/** All jobs of some kinds, the latest first. */
export function Gallery({ kinds, emptyTitle, children }: GalleryProps) {
  const matching = jobs.value.filter(({ request }) => kinds.includes(request.kind));
  if (matching.length === 0) return <Empty title={emptyTitle}>{children}</Empty>;
  const images = matching.flatMap(({ request, urls, isRemoved }) =>
    request.kind === 'image' && isRemoved !== true
      ? urls.map((url) => ({ url, alt: promptOf(request) }))
      : [],
  );
  return (
    <ul class={`gallery gallery-${kinds[0] ?? ''}`}>
      {matching.map((job) => (
        <JobCard key={job.id} job={job} images={images} />
      ))}
    </ul>
  );
}
