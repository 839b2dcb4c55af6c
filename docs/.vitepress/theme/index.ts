/** VitePress's theme with the colors of the product, without its web font. */
import theme from 'vitepress/theme-without-fonts';

import './style.css';

export default theme;
