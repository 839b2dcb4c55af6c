/** A part of a program, and how it is colored. */
export interface CodeToken {
  text: string;
  kind: 'plain' | 'comment' | 'string' | 'keyword' | 'number' | 'call';
}

const keywords =
  'as|async|await|case|catch|const|curl|default|export|for|from|function|if|import|let|new|of|return|switch|throw|try|type|typeof|while';

/** Comments, strings, keywords, numbers and called functions; everything else is plain. */
const pattern = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/|(?<=^|\n)#[^\n]*)`,
    String.raw`(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\]|\\.)*"|` + '`(?:[^`\\\\]|\\\\.)*`)',
    String.raw`(?<keyword>(?<![\w.$-])(?:${keywords})\b(?!\s*:))`,
    String.raw`(?<number>(?<![\w.-])\d[\d_.]*\b)`,
    String.raw`(?<call>(?<![\w$])[\w$]+(?=\())`,
  ].join('|'),
  'g',
);

/** Splits a program into tokens to color. It knows enough of TypeScript and of shells for short examples. */
export function tokenize(code: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) tokens.push({ text: code.slice(end, match.index), kind: 'plain' });
    const { comment, string, keyword, number } = match.groups ?? {};
    const kind =
      (comment !== undefined && 'comment') ||
      (string !== undefined && 'string') ||
      (keyword !== undefined && 'keyword') ||
      (number !== undefined && 'number') ||
      'call';
    tokens.push({ text: match[0], kind });
    end = match.index + match[0].length;
  }
  if (end < code.length) tokens.push({ text: code.slice(end), kind: 'plain' });
  return tokens;
}
