import { pollHeaderRules } from '../../call/request-options.ts';
import type { RequestOptions } from '../../call/request-options.ts';
import {
  functionValue,
  headerText,
  nonNegativeInteger,
  objectWithFields,
  signalRule,
} from '../../config/validation.ts';
import type { Rules } from '../../config/validation.ts';
import type { DownloadProgress } from './download-body.ts';

/** Options of `gateway.download`. */
export interface DownloadOptions {
  /**
   * Index of the result, if there are several.
   * @defaultValue 0
   */
  index?: number | undefined;
  /** Maximum size of the file in bytes; a larger body fails with an error. */
  maxBytes?: number | undefined;
  /** Requests only the rest of the file, to continue a download that was interrupted. */
  range?: DownloadRange | undefined;
  /** Called whenever bytes arrive. Errors that it throws are logged and do not affect the download. */
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Aborts the download. */
  signal?: AbortSignal | undefined;
  /**
   * Headers for the poll that fetches a fresh URL, in addition to those of the call that created the task. They are
   * never sent to the server of the result.
   */
  headers?: RequestOptions['headers'];
  /** Your own id for the poll that fetches a fresh URL. */
  requestId?: string | undefined;
}

/**
 * The rest of a file. If the server supports this, the response has status 206 and its body starts at `start`;
 * otherwise it has status 200 and contains the entire file. No other response is returned.
 */
export interface DownloadRange {
  /** Position of the first byte, from 0. */
  start: number;
  /** The strong `etag` or the `last-modified` date of the first part. If the file has changed, it is sent entirely. */
  ifRange?: string | undefined;
}

/** The rules of these options. */
export const downloadRules: Rules = {
  ...pollHeaderRules,
  signal: signalRule,
  index: nonNegativeInteger,
  maxBytes: nonNegativeInteger,
  range: objectWithFields({ start: nonNegativeInteger, ifRange: headerText }, { start: null }),
  onProgress: functionValue,
};
