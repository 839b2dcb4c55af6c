import { computed } from '@preact/signals';

import type { Line } from '../../../shared/lab.ts';
import { lab } from '../../state/lab.ts';

/** Whether each key stands on the bill once. */
const verdict = computed(() => {
  const lines = (lab.value?.invoice ?? []).filter(isKeyedCharge);
  return { lines: lines.length, keys: new Set(lines.map(({ key }) => key)).size };
});

const isKeyedCharge = ({ kind, key }: Line): boolean => kind === 'charge' && key !== undefined;

/** The point of it all. */
export function Verdict() {
  const { lines, keys } = verdict.value;
  if (lab.value?.invoice === undefined) return null;
  if (lines === 0) return <p class="verdict">No key on the bill yet</p>;
  const fine = lines === keys;
  return (
    <p class="verdict" data-fine={fine}>
      {fine
        ? `${keys} ${keys === 1 ? 'key' : 'keys'}, ${lines} ${lines === 1 ? 'line' : 'lines'} on the bill`
        : `${lines - keys} paid twice`}
    </p>
  );
}
