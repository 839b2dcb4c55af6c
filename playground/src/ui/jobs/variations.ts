const lights = ['at dawn', 'at noon', 'at dusk', 'by night', 'in fog'];
const manners = ['in ink', 'in oil', 'as a linocut', 'from above'];

/** The same words in many lights and manners. */
export function variations(words: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const light = lights[index % lights.length];
    const manner = manners[Math.floor(index / lights.length) % manners.length];
    return `${words}, ${light}, ${manner}`;
  });
}
