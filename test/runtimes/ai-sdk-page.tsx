import { useChat } from '@ai-sdk/react';
import { useState } from 'react';

/** A page for the chat route in docs/ai-sdk.md. */
export default function Page() {
  const { messages, sendMessage, status, error } = useChat();
  const [input, setInput] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void sendMessage({ text: input });
        setInput('');
      }}
    >
      {messages.map(({ id, role, parts }) => (
        <p key={id}>
          {role}: {parts.map((part) => (part.type === 'text' ? part.text : ''))}
        </p>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <input value={input} onChange={({ target }) => setInput(target.value)} />
      <button disabled={status !== 'ready' && status !== 'error'}>Send</button>
    </form>
  );
}
