/** Calls `draw` at most once per animation frame, however often the returned function is called. */
export function oncePerFrame(draw: () => void): () => void {
  let isScheduled = false;
  const run = () => {
    isScheduled = false;
    draw();
  };
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    const { requestAnimationFrame: request }: FrameGlobals = globalThis;
    (request ?? setTimeout)(run, 16);
  };
}

interface FrameGlobals {
  readonly requestAnimationFrame?: (callback: () => void, ms: number) => unknown;
}
