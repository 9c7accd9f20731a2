export type { BankOptions, Transfer } from './bank/index.js';
export { bankTools, readLedger } from './bank/index.js';
export type {
  DefinedTool,
  MultipartResult,
  ToolBody,
  ToolDefinition,
  TypedToolContext,
} from './defined-tool.js';
export type { Schema } from './compile-schema.js';
export { defineTool } from './define-tool.js';
export { cancel, reject, respond, restart, retry } from './resolutions.js';
export type { AnswerOptions, ReasonOptions, RespondOptions, RestartOptions } from './resolutions.js';
export { toolSet } from './tool-set.js';
