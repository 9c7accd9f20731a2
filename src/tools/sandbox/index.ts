export { detectSandbox } from './detect.js';
export type { Sandbox, SandboxMode, SandboxOptions, SandboxState } from './sandbox.js';
export { createSandbox, missing } from './sandbox.js';
export { isProgram } from './system-program.js';
