/** Records "Pull the plug" in Chromium as docs/images/pull-the-plug.webp, for light and dark pages. Needs ffmpeg. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createFileServer } from '../src/tools/cli/playground.ts';

const pathTo = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const playwright = createRequire(pathTo('playground/package.json')).resolve('playwright-core');
const { chromium } = (await import(playwright)).default;

/** Only the view: the bar and the menu around it would be small and illegible. */
const hideSurroundings = `
.shell { display: block !important }
.top-bar, .menu, .scene-tabs, .plug-code { display: none !important }
.content { height: 100dvh; padding: 1.5rem 1.75rem !important; overflow: hidden }
.plug { gap: 1.25rem }
`;
const [framesPerSecond, width, height] = [10, 1000, 640];

const server = createFileServer(pathTo('dist/playground'));
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--hide-scrollbars'],
});
for (const colorScheme of ['light', 'dark']) {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-recording-'));
  const viewport = { width, height };
  const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const button = page.getByRole('button', { name: 'Pull the plug' });
  await button.waitFor();
  await page.addStyleTag({ content: hideSurroundings });
  const frames: { at: number; name: string }[] = [];
  const takeFrame = async () => {
    const name = `${String(frames.length).padStart(3, '0')}.png`;
    const at = Date.now();
    writeFileSync(join(folder, name), await page.screenshot());
    frames.push({ at, name });
  };
  await takeFrame();
  await button.click();
  const start = Date.now();
  let end = Infinity;
  while (Date.now() < end) {
    await takeFrame();
    if (
      end === Infinity &&
      (await page.locator('.plug-verdict', { hasText: 'paid twice' }).count())
    )
      end = Date.now() + 600;
    if (Date.now() - start > 30_000) throw new Error('The recording takes too long');
    await page.waitForTimeout(1000 / framesPerSecond / 2);
  }
  const list = frames.map(({ at, name }, index) => {
    const next = frames[index + 1]?.at;
    const seconds = index === 0 ? 1.2 : next === undefined ? 4 : (next - at) / 1000;
    return `file '${join(folder, name)}'\nduration ${seconds.toFixed(3)}\n`;
  });
  writeFileSync(
    join(folder, 'frames.txt'),
    `${list.join('')}file '${join(folder, frames.at(-1)?.name ?? '')}'\n`,
  );
  const suffix = colorScheme === 'dark' ? '-dark' : '';
  const input = `-y -loglevel error -f concat -safe 0 -i ${join(folder, 'frames.txt')}`;
  const output = `-vf fps=${framesPerSecond} -c:v libwebp_anim -lossless 0 -q:v 80 -loop 0`;
  const file = pathTo(`docs/images/pull-the-plug${suffix}.webp`);
  execFileSync('ffmpeg', [...`${input} ${output}`.split(' '), file]);
  rmSync(folder, { recursive: true });
}
await browser.close();
server.close();
