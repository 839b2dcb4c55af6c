import type { Phase } from '../../plug/side-state.ts';

const captions: Readonly<Record<Phase, string>> = {
  idle: 'Ready',
  sending: 'Request',
  working: 'Charged, working',
  unplugged: 'Response lost',
  done: 'Response',
  stopped: 'Not sent again',
};

/** The connection between a program and the gateway, with a plug in the middle. */
export function Wire({ phase }: { phase: Phase }) {
  return (
    <div class="wire" data-phase={phase}>
      <span class="wire-end">Your code</span>
      <i class="wire-line" aria-hidden="true" />
      <svg class="wire-plug" viewBox="0 0 48 40" aria-hidden="true">
        <path
          class="plug-part plug-male"
          d="M0 20h5M5 10h9a6 6 0 0 1 6 6v8a6 6 0 0 1-6 6H5zM20 16h7M20 24h7"
        />
        <path
          class="plug-part plug-female"
          d="M48 20h-5M43 10h-9a6 6 0 0 0-6 6v8a6 6 0 0 0 6 6h9z"
        />
      </svg>
      <i class="wire-line" aria-hidden="true" />
      <span class="wire-end">Gateway</span>
      <i class="wire-pulse" aria-hidden="true" />
      <span class="wire-caption">{captions[phase]}</span>
    </div>
  );
}
