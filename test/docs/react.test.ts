import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';

import { guides, snippetsOf } from './guides.ts';

test('the component of the guide renders on a server, as Next.js does it', async () => {
  const component = guides
    .filter(({ path }) => path === 'docs/react-and-nextjs.md')
    .flatMap((guide) => snippetsOf(guide))
    .find(({ title }) => title.endsWith(': The component'));
  const { Chat } = await import(component?.file ?? '');
  const html = renderToString(createElement(Chat));
  expect(html).toContain('<button>Ask</button>');
  expect(html).not.toContain('Stop');
});
