export { executableArguments } from '../core/stream/tool-arguments.ts';
export { isCutOff } from '../types/chat/finish-reason.ts';
