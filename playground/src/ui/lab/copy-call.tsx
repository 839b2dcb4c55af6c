import type { Call } from '../../../shared/calls.ts';
import type { Attempt } from '../../../shared/lab.ts';
import { loadExchange } from '../../state/lab.ts';
import { Icon } from '../parts/icon.tsx';
import { useCopy } from '../parts/use-copy.ts';

/** Copies a call with everything that was sent and received, for an issue or a support request. */
export function CopyCall({ call }: { call: Call }) {
  const { isCopied, copy } = useCopy();
  return (
    <button type="button" class="secondary copy-call" onClick={() => void copy(toJson(call))}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? 'Copied' : 'Copy all as JSON'}
    </button>
  );
}

async function toJson({ attempts, polls, ...call }: Call): Promise<string> {
  const [loadedAttempts, loadedPolls] = await Promise.all([loadAll(attempts), loadAll(polls)]);
  return JSON.stringify({ ...call, attempts: loadedAttempts, polls: loadedPolls }, null, 2);
}

const loadAll = (attempts: readonly Attempt[]) =>
  Promise.all(
    attempts.map(async (attempt) => ({ ...attempt, ...(await loadExchange(attempt.number)) })),
  );
