import { unchecked } from '../../schemas/schema.ts';

/** A view whose fields are asked for each time they are read. */
export function liveView<View>(read: {
  readonly [Field in keyof View]-?: () => View[Field];
}): View {
  const view = {};
  for (const [name, get] of Object.entries<() => unknown>(read)) {
    Object.defineProperty(view, name, { get, enumerable: true });
  }
  return unchecked(view);
}
