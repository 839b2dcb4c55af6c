import { escapeXml } from '../escape-xml.ts';
import { hash, seededRandom } from '../random.ts';

const imageWidth = 768;
const imageHeight = 512;

/** Draws the prompt on a gradient. The same arguments always produce the same image. */
export function promptSvg(prompt: string, variant: string, footnote: string): string {
  const random = seededRandom(`${hash(prompt)}-${variant}`);
  const hue = Math.floor(random() * 360);
  const angle = Math.floor(random() * 90);
  const lines = wrap(prompt.trim().slice(0, 2000) || 'No prompt', 34, 9);
  const top = imageHeight / 2 - (lines.length - 1) * 21;
  const text = lines
    .map((line, index) => `<tspan x="50%" y="${top + index * 42}">${escapeXml(line)}</tspan>`)
    .join('');
  const circles = Array.from({ length: 5 }, () => {
    const x = Math.floor(random() * imageWidth);
    const y = Math.floor(random() * imageHeight);
    const radius = 40 + Math.floor(random() * 140);
    const shade = (hue + Math.floor(random() * 80)) % 360;
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="hsl(${shade} 80% 70% / 0.28)"/>`;
  }).join('');
  const size = `width="${imageWidth}" height="${imageHeight}"`;
  const centered = 'text-anchor="middle" fill="#fff"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${imageWidth} ${imageHeight}">
<defs><linearGradient id="sky" gradientTransform="rotate(${angle})">
<stop offset="0" stop-color="hsl(${hue} 60% 30%)"/>
<stop offset="1" stop-color="hsl(${(hue + 70) % 360} 65% 42%)"/>
</linearGradient></defs>
<rect width="100%" height="100%" fill="url(#sky)"/>${circles}
<g font-family="Georgia, serif" font-size="32" dominant-baseline="middle">
<text ${centered}>${text}</text></g>
<g font-family="monospace" font-size="14" opacity="0.75">
<text x="50%" y="${imageHeight - 24}" ${centered}>${escapeXml(footnote)}</text></g>
</svg>`;
}

/** Wraps text into at most `maxLines` lines of `width` characters; an ellipsis marks a cut. */
export function wrap(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((part) => splitWord(part, width))) {
    if (lines.length > maxLines) break;
    const candidate = line === '' ? word : `${line} ${word}`;
    if (Array.from(candidate).length <= width) {
      line = candidate;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1] ?? ''} …`];
}

/** Splits a word that is longer than a line. */
function splitWord(word: string, width: number): string[] {
  const characters = Array.from(word.slice(0, 2000));
  const parts: string[] = [];
  for (let start = 0; start < characters.length; start += width) {
    parts.push(characters.slice(start, start + width).join(''));
  }
  return parts;
}
