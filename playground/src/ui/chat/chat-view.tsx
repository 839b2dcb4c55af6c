import { useState } from 'preact/hooks';

import { changedSettings, chatModel, selectModel } from '../../state/chat-settings.ts';
import { cancelEditing, clearConversation, editedTurn, nextCall, stop } from '../../state/chat.ts';
import { activeResponse, turns } from '../../state/turns.ts';
import { CallCode } from '../code/view-code.tsx';
import { useHotkeys } from '../parts/hotkeys.ts';
import { Icon } from '../parts/icon.tsx';
import { ModelSelect } from '../parts/model-select.tsx';
import { AiSdkStatus } from './ai-sdk-status.tsx';
import { Composer } from './composer.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { Thread } from './thread.tsx';
import { Welcome } from './welcome.tsx';

const panelId = 'chat-panel';

/** The code of the message in the composer. */
function NextCall() {
  const call = nextCall.value;
  return (
    <div class="settings">{call ? <CallCode call={call} /> : <p class="muted">Loading …</p>}</div>
  );
}

/** A streaming chat. */
export function ChatView() {
  const [panel, setPanel] = useState<'settings' | 'code' | undefined>(undefined);
  const toggle = (name: 'settings' | 'code') => setPanel(panel === name ? undefined : name);
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
            aria-expanded={panel === 'settings'}
            aria-controls={panelId}
            onClick={() => toggle('settings')}
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
          <button
            type="button"
            class="secondary"
            aria-expanded={panel === 'code'}
            aria-controls={panelId}
            onClick={() => toggle('code')}
          >
            <Icon name="code" />
            <span class="wide-only">Code</span>
          </button>
          {!isEmpty && (
            <button type="button" class="secondary" onClick={clearConversation}>
              <Icon name="plus" />
              <span class="wide-only">New chat</span>
            </button>
          )}
        </div>
      </header>
      <div id={panelId} class="settings-frame" hidden={panel === undefined}>
        {panel === 'settings' && <SettingsPanel />}
        {panel === 'code' && <NextCall />}
      </div>
      <AiSdkStatus />
      {isEmpty ? <Welcome /> : <Thread />}
      <Composer />
    </section>
  );
}
