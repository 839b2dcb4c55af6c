import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';

import { guides, snippetsOf } from './guides.ts';

test.each([
  ['A chat', 'Chat', '<button>Ask</button>', 'Stop'],
  ['What is left of a budget', 'Budget', '<p>Loading</p>', 'alert'],
  ['Images, videos and audio', 'Picture', '<button>Draw</button>', '<progress'],
])(
  'the component of %s renders on a server, as Next.js does it',
  async (title, name, shown, hidden) => {
    const component = guides
      .filter(({ path }) => path === 'docs/react-and-nextjs.md')
      .flatMap((guide) => snippetsOf(guide))
      .find((snippet) => snippet.title.endsWith(`: ${title}`));
    const { [name]: Component } = await import(component?.file ?? '');
    const html = renderToString(createElement(Component, { userId: 'ann' }));
    expect(html).toContain(shown);
    expect(html).not.toContain(hidden);
  },
);
