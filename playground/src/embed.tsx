import './without-eval.ts';
import { render } from 'preact';

import styles from '../styles/embed.css?inline';
import { PullThePlug } from './ui/plug/pull-the-plug.tsx';

/** Renders "Pull the plug" into an element of another page, whose styles it neither uses nor changes. */
export function mount(element: HTMLElement): void {
  const root = element.attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent = styles;
  const box = document.createElement('div');
  root.append(style, box);
  render(<PullThePlug />, box);
}
