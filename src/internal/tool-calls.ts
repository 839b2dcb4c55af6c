export { executableArguments, isCutOff } from '../core/stream/tool-arguments.ts';
