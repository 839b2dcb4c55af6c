/** A keyboard shortcut, as the dialog of shortcuts lists it. */
interface Shortcut {
  keys: string[];
  action: string;
}

/** All keyboard shortcuts of the page, in the order of the dialog. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['Enter'], action: 'Send the message' },
  { keys: ['Shift', 'Enter'], action: 'Start a new line in the message' },
  { keys: ['Ctrl or ⌘', 'Enter'], action: 'Submit the form' },
  { keys: ['Esc'], action: 'Stop the response, or cancel editing' },
  { keys: ['/'], action: 'Go to the message or the prompt' },
  { keys: ['1 to 9'], action: 'Open a view, in the order of the menu' },
  { keys: ['←', '→'], action: 'Show the previous or the next image' },
  { keys: ['?'], action: 'Show all shortcuts' },
];
