import { effect } from '@preact/signals';

import { jobs, run } from './jobs.ts';
import type { Job } from './jobs.ts';
import { lab } from './lab.ts';

const place = 'polygate-playground-jobs';

/**
 * Orders outlive the page: each is written down before it is sent, with its key and later its receipt. After a reload
 * they go on where they were, and nothing is paid twice.
 */
export function keepJobs(): void {
  let session: string | undefined;
  effect(() => {
    const current = lab.value?.session;
    if (current === undefined || current === session) return;
    session = current;
    // Tasks of a reference gateway that has ended are gone.
    jobs.value = read(current);
    for (const job of jobs.value) if (isOpen(job)) void run(job);
  });
  effect(() => {
    const written = JSON.stringify({ session, jobs: jobs.value.slice(0, 60) });
    if (session !== undefined) localStorage.setItem(place, written);
  });
}

const isOpen = ({ state }: Job): boolean => ['sending', 'queued', 'running'].includes(state);

function read(session: string): readonly Job[] {
  try {
    // Only this function's neighbour writes here.
    const kept: { session: string; jobs: Job[] } = JSON.parse(localStorage.getItem(place) ?? '');
    return kept.session === session ? kept.jobs : [];
  } catch {
    return [];
  }
}
