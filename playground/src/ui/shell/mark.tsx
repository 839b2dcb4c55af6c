/** The sign: a polygon with a gate in it. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path class="mark-wall" d="M16 3.5 26.8 9.8v12.4L16 28.5 5.2 22.2V9.8Z" />
      <circle class="mark-core" cx="16" cy="16" r="3.6" />
    </svg>
  );
}
