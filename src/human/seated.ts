// The part of this layer for a person who sits at the terminal: prompts and the line that is typed in.
export { Composer, KEYS_HELP } from './composer/index.js';
export { TerminalDevice, plainTheme, processSignals } from './device/index.js';
export { editorOf } from './edit-json/index.js';
export { createLineHistory, forgetLines } from './line-editor/index.js';
export { confirmLine, createLinePerson, pickLine } from './lines/index.js';
export { chooseOne, confirmOne, pickOne } from './prompt/index.js';
export { confirmEarly, TerminalChannel } from './terminal/index.js';
