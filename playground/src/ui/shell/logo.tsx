/** The polygate logo: a polygon around a circle. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path class="logo-outline" d="M16 3.5 26.8 9.8v12.4L16 28.5 5.2 22.2V9.8Z" />
      <circle class="logo-core" cx="16" cy="16" r="3.6" />
    </svg>
  );
}
