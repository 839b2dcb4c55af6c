/** VitePress's theme with the colors of the product, without its web font. */
import type { Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';

import { NotFound } from './not-found.ts';
import { PullThePlug } from './pull-the-plug.ts';

import './style.css';
import './pull-the-plug.css';
import './print.css';

const withPlayground: Theme = {
  ...theme,
  Layout: () => h(theme.Layout, null, { 'not-found': () => h(NotFound) }),
  enhanceApp: ({ app }) => {
    app.component('PullThePlug', PullThePlug);
  },
};

export default withPlayground;
