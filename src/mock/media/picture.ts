import { seededRandom } from '../random.ts';

/** A picture of at most 256 colors. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** The colors, each as red, green and blue from 0 to 255. */
  readonly palette: readonly Color[];
  /** The index of each pixel's color, row by row. */
  readonly pixels: Uint8Array;
}

type Color = readonly [red: number, green: number, blue: number];

/** The longer side of every picture, in pixels. */
const longerSide = 480;

const skyBands = 24;
const hillLayers = 3;
const waterBands = 16;

/**
 * Paints a landscape: a sky with a sun, hills and water. The same seed always produces the same picture.
 *
 * @param ratio - Width divided by height.
 */
export function paint(seed: string, ratio: number): Picture {
  const random = seededRandom(seed);
  const width = Math.max(1, Math.round(longerSide * Math.min(1, ratio)));
  const height = Math.max(1, Math.round(longerSide / Math.max(1, ratio)));
  const pixels = new Uint8Array(width * height);
  const hue = random() * 360;
  const far = hue + 40 + random() * 80;

  const palette: Color[] = [
    ...bands(skyBands, [hue, 0.55, 0.28], [far, 0.7, 0.72]),
    hsl(far + 20, 0.9, 0.86),
    ...bands(hillLayers, [hue + 10, 0.35, 0.42], [hue, 0.45, 0.14]),
    ...bands(waterBands, [far, 0.5, 0.5], [hue, 0.6, 0.16]),
  ];
  const sun = skyBands;
  const firstHill = sun + 1;
  const firstWater = firstHill + hillLayers;

  const horizon = Math.round(height * (0.58 + random() * 0.12));
  const sunX = width * (0.2 + random() * 0.6);
  const sunY = horizon * (0.3 + random() * 0.4);
  const sunRadius = Math.min(width, height) * (0.07 + random() * 0.06);
  const hills = Array.from({ length: hillLayers }, (_, layer) =>
    hillOutline(layer, horizon, width, random),
  );

  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    if (y >= horizon) {
      const depth = (y - horizon) / Math.max(1, height - horizon);
      pixels.fill(
        firstWater + Math.min(waterBands - 1, Math.floor(depth * waterBands)),
        row,
        row + width,
      );
      // The sun glitters on every third row, wider towards the viewer.
      const half = (y - horizon) % 3 === 0 ? sunRadius * (0.3 + depth) * random() : 0;
      const from = Math.max(0, Math.round(sunX - half));
      pixels.fill(sun, row + from, row + Math.max(from, Math.min(width, Math.round(sunX + half))));
      continue;
    }
    pixels.fill(Math.min(skyBands - 1, Math.floor((y / horizon) * skyBands)), row, row + width);
    const half = Math.sqrt(Math.max(0, sunRadius ** 2 - (y - sunY) ** 2));
    const from = Math.max(0, Math.round(sunX - half));
    pixels.fill(sun, row + from, row + Math.max(from, Math.min(width, Math.round(sunX + half))));
    for (const [layer, outline] of hills.entries()) {
      for (let x = 0; x < width; x += 1) {
        if (y >= (outline[x] ?? horizon)) pixels[row + x] = firstHill + layer;
      }
    }
  }
  return { width, height, palette, pixels };
}

/** The upper edge of a layer of hills, for each column. Later layers are nearer and lower. */
function hillOutline(
  layer: number,
  horizon: number,
  width: number,
  random: () => number,
): number[] {
  const peak = horizon * (0.34 - layer * 0.09);
  const waves = Array.from({ length: 4 }, (_, index) => ({
    length: width / (0.7 + index * 1.7 + random()),
    phase: random() * 2 * Math.PI,
    size: 1 / (index + 1.2),
  }));
  return Array.from({ length: width }, (_, x) => {
    const sum = waves.reduce(
      (total, { length, phase, size }) =>
        total + size * Math.sin((2 * Math.PI * x) / length + phase),
      0,
    );
    return horizon - Math.max(0, peak * (0.5 + sum / 3));
  });
}

type Hsl = readonly [hue: number, saturation: number, lightness: number];

/** Colors in even steps from one to another. */
function bands(count: number, from: Hsl, to: Hsl): Color[] {
  const between = (index: 0 | 1 | 2, step: number) =>
    from[index] + (to[index] - from[index]) * step;
  return Array.from({ length: count }, (_, index) => {
    const step = index / Math.max(1, count - 1);
    return hsl(between(0, step), between(1, step), between(2, step));
  });
}

function hsl(hue: number, saturation: number, lightness: number): Color {
  const channel = (offset: number) => {
    const position = (offset + hue / 30) % 12;
    const strength = Math.max(-1, Math.min(position - 3, 9 - position, 1));
    const value = lightness - saturation * Math.min(lightness, 1 - lightness) * strength;
    return Math.round(255 * Math.max(0, Math.min(1, value)));
  };
  return [channel(0), channel(8), channel(4)];
}
