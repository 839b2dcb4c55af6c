const entries = [
  'polygate',
  'polygate/journal',
  'polygate/mock',
  'polygate/mock/node',
  'polygate/node',
  'polygate/doctor',
  'polygate/otel',
  'polygate/proxy',
];

console.log(JSON.stringify(entries.map((entry) => Object.keys(require(entry)).length > 0)));
