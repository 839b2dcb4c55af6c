export { executableArguments, isExecutable } from '../client/stream/tool-arguments.ts';
