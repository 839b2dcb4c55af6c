import type { ComponentChildren } from 'preact';

import { jobs } from '../../state/jobs.ts';
import type { Order } from '../../state/order.ts';
import { Empty } from '../parts/empty.tsx';
import { JobCard } from './job-card.tsx';

interface GalleryProps {
  kinds: readonly Order['kind'][];
  emptyTitle: string;
  /** What to do about it being empty. */
  children: ComponentChildren;
}

/** Everything of some kinds that was ordered, the newest first. */
export function Gallery({ kinds, emptyTitle, children }: GalleryProps) {
  const shown = jobs.value.filter(({ order }) => kinds.includes(order.kind));
  if (shown.length === 0) return <Empty title={emptyTitle}>{children}</Empty>;
  return (
    <ul class={`gallery gallery-${kinds[0] ?? ''}`}>
      {shown.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
    </ul>
  );
}
