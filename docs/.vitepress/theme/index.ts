/** VitePress's theme with the colors of the product, without its web font. */
import './style.css';

export { default } from 'vitepress/theme-without-fonts';
