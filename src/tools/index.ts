export type {
  DefinedTool,
  MultipartResult,
  OwnInterrupt,
  ToolBody,
  ToolDefinition,
  TypedCallScene,
  TypedToolContext,
} from './defined-tool.js';
export type { Schema } from './compile-schema.js';
export { compileSchema } from './compile-schema.js';
export { defineTool, LIBRARY_ORIGIN } from './define-tool.js';
export { answers, cancel, reject, respond, restart, retry } from './resolutions.js';
export type { AnswerOptions, ReasonOptions, RespondOptions, RestartOptions } from './resolutions.js';
export { toolSet } from './tool-set.js';
export type { InterruptDefinition } from './define-interrupt.js';
export { defineInterrupt } from './define-interrupt.js';
export type { NeedsApproval } from './require-approval.js';
export { requireApproval } from './require-approval.js';
export { underRules } from './under-rules.js';
export type { ToolHook } from './wrap-tool.js';
export { wrapTool } from './wrap-tool.js';
export type { LoadModuleOptions, LoadModuleOptions as LoadToolsOptions } from './load-module.js';
export { loadModule } from './load-module.js';
export { refuseModule } from './module-problem.js';
export { isFromModule, loadTools } from './load-tools.js';
export { isTool } from './tool-shape.js';
export type { BuiltinOptions } from './builtin/index.js';
export { builtinTool, builtinTools, killGroup, leftBehind, requestGrant } from './builtin/index.js';
export { askHuman, requestApproval } from './asked-by-programs.js';
export type { SandboxMode, SandboxOptions } from './sandbox/sandbox.js';
export { detectSandbox, whyNotHeld } from './sandbox/sandbox.js';
export type { GuardOptions } from './guard-output.js';
export { guardOutput } from './guard-output.js';
