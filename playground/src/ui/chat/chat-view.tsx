import { useEffect, useRef } from 'preact/hooks';

import { clearConversation } from '../../state/chat.ts';
import { turns } from '../../state/turns.ts';
import { ModelSelect } from '../parts/model-select.tsx';
import { useModel } from '../parts/use-model.ts';
import { AiSdkStatus, AiSdkSwitch } from './ai-sdk-switch.tsx';
import { Composer } from './composer.tsx';
import { TurnView } from './turn-view.tsx';
import { Welcome } from './welcome.tsx';

/** A streaming chat. */
export function ChatView() {
  const [model, setModel] = useModel('chat');
  const end = useRef<HTMLDivElement>(null);
  const all = turns.value;
  const { text, state } = all.at(-1) ?? {};
  useEffect(() => {
    if (all.length > 0) end.current?.scrollIntoView({ block: 'end' });
  }, [all.length, text, state]);
  return (
    <section class="chat" aria-labelledby="chat-title">
      <header class="view-head">
        <h1 id="chat-title">Chat</h1>
        <div class="view-tools">
          <AiSdkSwitch />
          <ModelSelect purpose="chat" value={model?.id} onChange={setModel} />
          {all.length > 0 && (
            <button type="button" class="secondary" onClick={clearConversation}>
              New chat
            </button>
          )}
        </div>
      </header>
      <AiSdkStatus />
      {all.length === 0 ? (
        <Welcome model={model?.id} />
      ) : (
        <div role="log" aria-label="Conversation">
          <ol class="thread">
            {all.map((turn) => (
              <TurnView key={turn.id} turn={turn} />
            ))}
          </ol>
        </div>
      )}
      <div ref={end} class="thread-end" />
      <Composer model={model?.id} />
    </section>
  );
}
