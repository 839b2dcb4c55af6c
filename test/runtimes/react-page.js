import { Chat } from 'guide';
import { StrictMode, createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

function App() {
  const [isShown, setIsShown] = useState(true);
  const close = createElement(
    'button',
    { key: 'close', onClick: () => setIsShown(false) },
    'Close',
  );
  return isShown ? [createElement(Chat, { key: 'chat' }), close] : null;
}

const main = document.body.appendChild(document.createElement('main'));
createRoot(main).render(createElement(StrictMode, null, createElement(App)));
