import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';

import type { ApiCall } from '../../state/api-call.ts';
import { Choice } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { toAiSdk, toCurl, toOpenAi, toTypeScript } from './call-code.ts';
import { Highlighted } from './highlighted.tsx';

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

/** The code of a call, sent or not, in each of its variants. */
export function CallCode({ call }: { call: ApiCall }) {
  const [chosen, setVariant] = useState<Variant>(
    call.kind === 'chat' && call.isAiSdk ? 'ai-sdk' : 'polygate',
  );
  const codes = codesOf(call);
  const [variant, code] = codes.find(([name]) => name === chosen) ?? codes[0];
  return (
    <>
      <div class="code-tools">
        <Choice
          hideLabel
          label="Variant"
          options={codes.map(([name]) => [name, variants[name]] as const)}
          value={variant}
          onChange={setVariant}
        />
        <CopyButton text={code} label="Copy the code" />
      </div>
      <Highlighted label="Code" code={code} />
      <p class="hint">
        Set <code>POLYGATE_BASE_URL</code> and <code>POLYGATE_API_KEY</code> first;{' '}
        <code>npx polygate-mock</code> serves a gateway that costs nothing. {noteOn(call)}
      </p>
    </>
  );
}

const variants = { polygate: 'polygate', openai: 'openai', 'ai-sdk': 'AI SDK', curl: 'curl' };

type Variant = keyof typeof variants;

/** The variants that a call has, with their code. */
function codesOf(call: ApiCall): [[Variant, string], ...[Variant, string][]] {
  const others = [
    ['openai', toOpenAi(call)],
    ['ai-sdk', toAiSdk(call)],
    ['curl', toCurl(call)],
  ] as const;
  return [
    ['polygate', toTypeScript(call)],
    ...others.flatMap(([name, code]): [Variant, string][] =>
      code === undefined ? [] : [[name, code]],
    ),
  ];
}

/** What running the code costs. */
function noteOn(call: ApiCall): string {
  const isNew = call.kind !== 'chat' && call.idempotencyKey === undefined;
  return isNew ? 'Each run has a new idempotency key, and is charged.' : keyNotes[call.kind];
}

const taskNote =
  'Another gateway does not know the key yet, so the code starts a new task, which is charged. Running it again with the same key is not charged.';
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
