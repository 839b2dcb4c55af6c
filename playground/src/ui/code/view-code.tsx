import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';

import type { ApiCall } from '../../state/api-call.ts';
import { Choice } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { toCurl, toTypeScript } from './call-code.ts';

/** The call whose code is shown. */
const shownCall = signal<ApiCall | undefined>(undefined);

interface ViewCodeProps {
  call: ApiCall;
  /** Shows only the icon, for a row of icons. `iconFor` is what the call generated, for screen readers. */
  iconFor?: string;
}

/** Shows the code of a call in a dialog. */
export function ViewCode({ call, iconFor }: ViewCodeProps) {
  const name =
    iconFor === undefined ? {} : { title: 'View code', 'aria-label': `View code: ${iconFor}` };
  return (
    <button
      type="button"
      class={iconFor === undefined ? 'ghost' : 'plain'}
      {...name}
      onClick={() => {
        shownCall.value = call;
      }}
    >
      <Icon name="code" />
      {iconFor === undefined && 'View code'}
    </button>
  );
}

/** The dialog of {@link ViewCode}. It is rendered once, outside the lists and live regions with the buttons. */
export function CodeDialog() {
  const call = shownCall.value;
  if (call === undefined) return null;
  const close = () => {
    shownCall.value = undefined;
  };
  return (
    <Dialog title="Code of this call" onClose={close}>
      <CallCode call={call} />
    </Dialog>
  );
}

function CallCode({ call }: { call: ApiCall }) {
  const [language, setLanguage] = useState<'typescript' | 'curl'>('typescript');
  const code = language === 'curl' ? toCurl(call) : toTypeScript(call);
  return (
    <>
      <div class="code-tools">
        <Choice
          hideLabel
          label="Language"
          options={languages}
          value={language}
          onChange={setLanguage}
        />
        <CopyButton text={code} label="Copy the code" />
      </div>
      {/* The focus makes it possible to scroll with the keyboard. */}
      <pre class="code" tabIndex={0}>
        <code>{code}</code>
      </pre>
      <p class="hint">
        Set <code>POLYGATE_BASE_URL</code> and <code>POLYGATE_API_KEY</code> first;{' '}
        <code>npx polygate-mock</code> serves a gateway that costs nothing. {keyNotes[call.kind]}
      </p>
    </>
  );
}

const languages = [
  ['typescript', 'TypeScript'],
  ['curl', 'curl'],
] as const;

const taskNote =
  'The proxy of this page gave the gateway a key of its own, so the code starts a new task, which is charged. Running it again with the same key is not charged.';
const voiceNote =
  'Running the code is charged: the gateway does not promise to charge a voice once per idempotency key.';

const keyNotes: Readonly<Record<ApiCall['kind'], string>> = {
  chat: 'A chat has no idempotency key, so running the code is charged every time.',
  image: taskNote,
  video: taskNote,
  speech: taskNote,
  music: taskNote,
  'voice-clone': voiceNote,
  'voice-design': voiceNote,
  material: 'Running the code again with the same key returns the same material.',
};
