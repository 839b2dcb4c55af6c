import { useState } from 'preact/hooks';

import { changedSettings, chatModel, selectModel } from '../../state/chat-settings.ts';
import { cancelEditing, clearConversation, editedTurn, stop } from '../../state/chat.ts';
import { activeResponse, turns } from '../../state/turns.ts';
import { useHotkeys } from '../parts/hotkeys.ts';
import { Icon } from '../parts/icon.tsx';
import { ModelSelect } from '../parts/model-select.tsx';
import { AiSdkStatus } from './ai-sdk-status.tsx';
import { Composer } from './composer.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { Thread } from './thread.tsx';
import { Welcome } from './welcome.tsx';

const panelId = 'chat-settings';

/** A streaming chat. */
export function ChatView() {
  const [isOpen, setIsOpen] = useState(false);
  const isEmpty = turns.value.length === 0;
  useHotkeys({
    Escape: () => {
      if (activeResponse.value !== undefined) stop();
      else if (editedTurn.value !== undefined) cancelEditing();
    },
  });
  const changed = changedSettings.value;
  return (
    <section class="chat" aria-labelledby="chat-title">
      <header class="view-head">
        <h1 id="chat-title">Chat</h1>
        <div class="view-tools">
          <ModelSelect purpose="chat" value={chatModel.value} onChange={selectModel} />
          <button
            type="button"
            class="secondary"
            aria-expanded={isOpen}
            aria-controls={panelId}
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name="settings" />
            <span class="wide-only">Settings</span>
            {changed > 0 && (
              <span class="badge">
                {changed}
                <span class="visually-hidden"> changed</span>
              </span>
            )}
          </button>
          {!isEmpty && (
            <button type="button" class="secondary" onClick={clearConversation}>
              <Icon name="plus" />
              <span class="wide-only">New chat</span>
            </button>
          )}
        </div>
      </header>
      <div id={panelId} class="settings-frame" hidden={!isOpen}>
        {isOpen && <SettingsPanel />}
      </div>
      <AiSdkStatus />
      {isEmpty ? <Welcome /> : <Thread />}
      <Composer />
    </section>
  );
}
