export type { ListenPlace } from './flag-values.js';
export {
  collected,
  durationOrNone,
  listenPlace,
  recordOrPlace,
  stateEntry,
  valueOf,
  wholeNumber,
} from './flag-values.js';
export type { Mode } from './mode.js';
export { modeOf, outputFormatOf } from './mode.js';
export type { CommonFlags, RunFlags } from './options.js';
export {
  addAnswerOptions,
  addApprovalOptions,
  addCommonOptions,
  addFlowOptions,
  addOfferOptions,
  addReplyOptions,
  addRunOptions,
  addSessionOptions,
  addPreviewOptions,
  addSettingOptions,
  logOption,
} from './options.js';
