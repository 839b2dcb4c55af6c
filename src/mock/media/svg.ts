import { hash, seededRandom } from '../random.ts';

const pictureWidth = 768;
const pictureHeight = 512;

/** A picture that shows its own prompt on a gradient; the same words give the same picture. */
export function promptSvg(prompt: string, variant: number, footnote: string): string {
  const random = seededRandom(`${hash(prompt)}-${variant}`);
  const hue = Math.floor(random() * 360);
  const angle = Math.floor(random() * 90);
  const lines = wrap(prompt.trim().slice(0, 2000) || 'No prompt', 34, 9);
  const top = pictureHeight / 2 - (lines.length - 1) * 21;
  const text = lines
    .map((line, index) => `<tspan x="50%" y="${top + index * 42}">${escapeXml(line)}</tspan>`)
    .join('');
  const circles = Array.from({ length: 5 }, () => {
    const x = Math.floor(random() * pictureWidth);
    const y = Math.floor(random() * pictureHeight);
    const radius = 40 + Math.floor(random() * 140);
    const shade = (hue + Math.floor(random() * 80)) % 360;
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="hsl(${shade} 80% 70% / 0.28)"/>`;
  }).join('');
  const size = `width="${pictureWidth}" height="${pictureHeight}"`;
  const centred = 'text-anchor="middle" fill="#fff"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${pictureWidth} ${pictureHeight}">
<defs><linearGradient id="sky" gradientTransform="rotate(${angle})">
<stop offset="0" stop-color="hsl(${hue} 60% 30%)"/>
<stop offset="1" stop-color="hsl(${(hue + 70) % 360} 65% 42%)"/>
</linearGradient></defs>
<rect width="100%" height="100%" fill="url(#sky)"/>${circles}
<g font-family="Georgia, serif" font-size="32" dominant-baseline="middle">
<text ${centred}>${text}</text></g>
<g font-family="monospace" font-size="14" opacity="0.75">
<text x="50%" y="${pictureHeight - 24}" ${centred}>${escapeXml(footnote)}</text></g>
</svg>`;
}

/** Lines of at most so many characters; what does not fit in so many lines becomes an ellipsis. */
export function wrap(text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((part) => slices(part, width))) {
    if (lines.length > most) break;
    const longer = line === '' ? word : `${line} ${word}`;
    if (Array.from(longer).length <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `${lines[most - 1] ?? ''} …`];
}

/** Words longer than a line are cut between characters. */
function slices(word: string, width: number): string[] {
  const letters = Array.from(word.slice(0, 2000));
  const pieces: string[] = [];
  for (let at = 0; at < letters.length; at += width) {
    pieces.push(letters.slice(at, at + width).join(''));
  }
  return pieces;
}

/** Text that is safe in XML and HTML; characters that XML forbids are left out. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
