import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { h } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo } from 'preact/hooks';

import { CopyButton } from '../parts/copy-button.tsx';

// HTML stays text, and links with dangerous schemes such as `javascript:` are not links.
const parser = new MarkdownIt({ html: false, linkify: true, breaks: true });

/**
 * Text of a model. It becomes elements, never HTML, so there is nothing to sanitize. It may be incomplete, as it is while
 * it is streamed: elements that are complete are kept, so that a selection and a focus survive the next chunk.
 */
export function Markdown({ text }: { text: string }) {
  return <>{useMemo(() => renderTokens(parser.parse(text, {})), [text])}</>;
}

/** Renders a flat list of tokens, in which an element is a token that opens it and one that closes it. */
function renderTokens(tokens: readonly Token[]): ComponentChildren[] {
  const levels: { opening: Token | undefined; children: ComponentChildren[] }[] = [
    { opening: undefined, children: [] },
  ];
  for (const token of tokens) {
    if (token.nesting === 1) levels.push({ opening: token, children: [] });
    else {
      const closed = token.nesting === -1 ? levels.pop() : undefined;
      const { opening = token, children = [] } = closed ?? {};
      levels.at(-1)?.children.push(render(opening, children));
    }
  }
  return levels[0]?.children ?? [];
}

function render(token: Token, children: ComponentChildren[]): ComponentChildren {
  const { type, tag, content, attrs } = token;
  if (type === 'inline') return renderTokens(token.children ?? []);
  if (type === 'text') return content;
  if (type === 'softbreak') return '\n';
  if (type === 'fence' || type === 'code_block') {
    return <CodeBlock language={token.info.trim().split(/\s/)[0] ?? ''} code={content} />;
  }
  // An image would be loaded from a server that the model chooses, so it is only a link.
  if (type === 'image') return link(String(token.attrGet('src')), content || 'Image');
  if (type === 'link_open') return link(String(token.attrGet('href')), children);
  // The paragraph of an item in a list without blank lines.
  if (token.hidden) return children;
  if (type === 'table_open') {
    // The focus makes it possible to scroll with the keyboard.
    return h('div', { class: 'table', tabIndex: 0 }, h('table', null, ...children));
  }
  if (type === 'heading_open') return h(lowerHeading(tag), null, ...children);
  return h(tag, Object.fromEntries(attrs ?? []), ...(content === '' ? children : [content]));
}

function link(href: string, children: ComponentChildren): VNode {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** The page itself has the headings of the first two levels. */
const lowerHeading = (tag: string) => `h${Math.min(6, Number(tag.slice(1)) + 2)}`;

function CodeBlock({ language, code }: { language: string; code: string }) {
  return (
    <div class="code-block">
      <div class="code-block-head">
        <span>{language}</span>
        <CopyButton text={code} label="Copy the code block" />
      </div>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
