export { executableArguments, isCutOff } from '../client/stream/tool-arguments.ts';
