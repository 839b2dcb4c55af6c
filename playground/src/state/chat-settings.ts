import { computed, signal } from '@preact/signals';
import type { ChatParams } from 'polygate';

import { modelsFor } from './account.ts';

/** What is sent with the messages. A setting that is undefined is not sent, so that the model's default applies. */
export interface ChatSettings {
  /** Empty if there is none. */
  systemPrompt: string;
  temperature?: number | undefined;
  topP?: number | undefined;
  maxTokens?: number | undefined;
}

const defaults: ChatSettings = { systemPrompt: '' };

/** The settings of the next messages. */
export const chatSettings = signal(defaults);

/** Whether messages are sent through the AI SDK. */
export const throughAiSdk = signal(false);

/** The status that `useChat` would report. */
export const aiSdkStatus = signal('ready');

/** The number of settings that differ from the defaults. */
export const changedSettings = computed(() => {
  const { systemPrompt, ...sampling } = chatSettings.value;
  const values = [systemPrompt || undefined, throughAiSdk.value || undefined];
  return [...values, ...Object.values(sampling)].filter((value) => value !== undefined).length;
});

/** Changes settings. */
export function changeSettings(changes: Partial<ChatSettings>): void {
  chatSettings.value = { ...chatSettings.value, ...changes };
}

/** Restores the defaults. */
export function resetSettings(): void {
  chatSettings.value = defaults;
  throughAiSdk.value = false;
}

const selectedId = signal('');

/** The selected model; undefined until the models are loaded. */
export const chatModel = computed(() => {
  const models = modelsFor('chat');
  return (models.find(({ id }) => id === selectedId.value) ?? models[0])?.id;
});

/** Selects the model of the next messages. */
export function selectModel(id: string): void {
  selectedId.value = id;
}

/** The params of a chat with these messages and the current settings. */
export function toParams(model: string, messages: ChatParams['messages']): ChatParams {
  const { systemPrompt, temperature, topP, maxTokens } = chatSettings.value;
  const system = { role: 'system', content: systemPrompt } as const;
  return {
    model,
    messages: systemPrompt.trim() === '' ? messages : [system, ...messages],
    temperature,
    top_p: topP,
    max_tokens: maxTokens,
    stream_options: { include_usage: true },
  };
}
