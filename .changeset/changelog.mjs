/** How a changeset appears in CHANGELOG.md: its text, without the hash of its commit. */
export default {
  getReleaseLine: async ({ summary }) => {
    const [first, ...rest] = summary.trim().split('\n');
    return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n');
  },
  getDependencyReleaseLine: async () => '',
};
