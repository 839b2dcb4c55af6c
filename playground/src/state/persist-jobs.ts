import { effect } from '@preact/signals';

import { backend } from '../backend/server.ts';
import { isRunning, jobs, resumeJob } from './jobs.ts';
import type { Job } from './jobs.ts';
import { lab } from './lab.ts';

const storageKey = 'polygate-playground-job-list';

/**
 * Stores jobs in the browser, so that they survive a reload. Each job is stored with its idempotency key before it is
 * sent, and with its receipt as soon as there is one: it continues after a reload, and no task is paid for twice.
 */
export function persistJobs(): void {
  let session: string | undefined;
  effect(() => {
    const current = lab.value?.session;
    if (current === undefined || current === session) return;
    session = current;
    // Jobs of another session are dropped: a restarted reference gateway no longer has their tasks.
    jobs.value = load(current);
    for (const job of jobs.value) if (isRunning(job)) resumeJob(job);
  });
  effect(() => {
    const kept = jobs.value.filter(({ isRemoved }) => isRemoved !== true).slice(0, 60);
    const stored = JSON.stringify({ session, jobs: kept });
    if (session !== undefined) backend.storage.setItem(storageKey, stored);
  });
}

function load(session: string): readonly Job[] {
  try {
    // Trusted without validation: only persistJobs writes this entry.
    const stored: { session: string; jobs: Job[] } = JSON.parse(
      backend.storage.getItem(storageKey) ?? '',
    );
    return stored.session === session ? stored.jobs : [];
  } catch {
    return [];
  }
}
