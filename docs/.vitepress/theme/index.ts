/** VitePress's theme with the colors of the product, without its web font. */
import type { Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';

import { PullThePlug } from './pull-the-plug.ts';

import './style.css';
import './pull-the-plug.css';

const withPlayground: Theme = {
  ...theme,
  enhanceApp: ({ app }) => {
    app.component('PullThePlug', PullThePlug);
  },
};

export default withPlayground;
