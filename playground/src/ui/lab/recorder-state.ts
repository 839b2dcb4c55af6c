import { computed, signal } from '@preact/signals';

import { chargeOf, groupAttempts, isFailure } from '../../../shared/calls.ts';
import type { Call } from '../../../shared/calls.ts';
import { lab } from '../../state/lab.ts';

/** Which calls the flight recorder shows. */
export type Filter = 'all' | 'failures' | 'charged';

/** The chosen filter. */
export const filter = signal<Filter>('all');

/** Ids of the calls whose details are open. */
export const openCalls = signal<ReadonlySet<string>>(new Set());

/** Number of the latest attempt when details were opened. Later calls wait, so that nothing moves while they are read. */
const latestShown = signal<number | undefined>(undefined);

/** All calls, the latest first. */
const calls = computed(() => groupAttempts(lab.value?.attempts ?? []));

/** The call that started last. */
export const latestCall = computed(() => calls.value[0]);

/** The calls for each filter. */
export const callsBy = computed<Readonly<Record<Filter, readonly Call[]>>>(() => ({
  all: calls.value,
  failures: calls.value.filter(({ attempts, polls }) => [...attempts, ...polls].some(isFailure)),
  charged: calls.value.filter((call) => chargeOf(call) !== undefined),
}));

/** The calls to show. One that is open stays, even if the filter no longer matches it. */
export const shownCalls = computed(() => {
  const matching = new Set(callsBy.value[filter.value]);
  return calls.value.filter(
    (call) => openCalls.value.has(call.id) || (matching.has(call) && !isWaiting(call)),
  );
});

/** Number of later calls that wait until the details are closed. */
export const waitingCount = computed(() => callsBy.value[filter.value].filter(isWaiting).length);

/** Opens or closes the details of a call. */
export function setOpen(id: string, isOpen: boolean): void {
  const open = new Set(openCalls.value);
  if (isOpen) open.add(id);
  else open.delete(id);
  openCalls.value = open;
  if (open.size === 0) latestShown.value = undefined;
  else if (latestShown.value === undefined) showWaiting();
}

/** Shows the calls that wait. */
export function showWaiting(): void {
  latestShown.value = lab.value?.attempts.at(-1)?.number ?? 0;
}

/** Closes all details. */
export function closeAll(): void {
  openCalls.value = new Set();
  latestShown.value = undefined;
}

function isWaiting({ attempts: [first] }: Call): boolean {
  const latest = latestShown.value;
  return latest !== undefined && first !== undefined && first.number > latest;
}
