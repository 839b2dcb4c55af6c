import { computed } from '@preact/signals';

import { groupAttempts } from './group-attempts.ts';
import { lab } from './lab.ts';

/** Everything that was asked for, the newest first. */
export const calls = computed(() => groupAttempts(lab.value?.attempts ?? []));
