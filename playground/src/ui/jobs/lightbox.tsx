import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { fileURL } from '../../state/files.ts';
import { Icon } from '../parts/icon.tsx';
import { ResultActions } from './result-actions.tsx';

interface LightboxImage {
  url: string;
  alt: string;
}

/** The images that the lightbox shows, and the position of the current one. */
const shown = signal<{ images: readonly LightboxImage[]; index: number } | undefined>(undefined);

/** Shows images in the lightbox, starting with one of them. */
export function openLightbox(images: readonly LightboxImage[], url: string): void {
  const index = images.findIndex((image) => image.url === url);
  if (index >= 0) shown.value = { images, index };
}

/** A dialog that shows one image at a time. It is rendered once, for the whole page. */
export function Lightbox() {
  if (shown.value === undefined) return null;
  const { images, index } = shown.value;
  const image = images[index];
  return image && <LightboxDialog image={image} index={index} count={images.length} />;
}

interface LightboxDialogProps {
  image: LightboxImage;
  index: number;
  count: number;
}

function LightboxDialog({ image: { url, alt }, index, count }: LightboxDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  // Closing, in contrast to removing, returns the focus to the image that was opened.
  const close = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class="lightbox"
      aria-label="Image"
      onClose={() => {
        shown.value = undefined;
      }}
      onClick={({ target }) => {
        if (target instanceof Element && target.matches('.lightbox, .lightbox-stage')) close();
      }}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') move(-1);
        if (key === 'ArrowRight') move(1);
      }}
    >
      <div class="lightbox-bar">
        <span class="lightbox-count" aria-live="polite">
          {index + 1} of {count}
        </span>
        <ResultActions url={url} name={alt} number={1} />
        <button type="button" class="plain" aria-label="Close" title="Close (Esc)" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div class="lightbox-stage">
        <img key={url} src={fileURL(url)} alt={alt} />
        {count > 1 && (
          <>
            <button
              type="button"
              class="lightbox-step"
              aria-label="Previous image"
              onClick={() => move(-1)}
            >
              <Icon name="previous" />
            </button>
            <button
              type="button"
              class="lightbox-step"
              aria-label="Next image"
              onClick={() => move(1)}
            >
              <Icon name="next" />
            </button>
          </>
        )}
      </div>
      <p class="lightbox-caption">{alt}</p>
    </dialog>
  );
}

/** Shows the next or the previous image; the first one follows the last. */
function move(step: number): void {
  if (shown.value === undefined) return;
  const { images, index } = shown.value;
  shown.value = { images, index: (index + step + images.length) % images.length };
}
