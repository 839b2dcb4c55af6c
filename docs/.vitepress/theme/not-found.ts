import { withBase } from 'vitepress';
import { defineComponent, h } from 'vue';

const links = [
  ['/', 'Home'],
  ['/guides/quick-start.html', 'Quick start'],
  ['/guides/', 'All guides'],
  ['/api/', 'API reference'],
] as const;

/** What an address without a page shows. */
export const NotFound = defineComponent({
  name: 'NotFound',
  setup: () => () =>
    h('main', { class: 'not-found vp-doc' }, [
      h('h1', 'There is no page here'),
      h('p', 'It may have moved. Search for it, or start from one of these pages.'),
      h('button', { type: 'button', class: 'not-found-search', onClick: openSearch }, 'Search'),
      h(
        'ul',
        links.map(([path, text]) => h('li', h('a', { href: withBase(path) }, text))),
      ),
    ]),
});

/** The search belongs to the bar at the top. */
function openSearch(): void {
  document.querySelector<HTMLElement>('.VPNavBarSearch button')?.click();
}
