// The part of this layer for a person who sits at the terminal: prompts and the line that is typed in.
export { Composer } from './composer/composer.js';
export { KEYS_HELP } from './composer/draft.js';
export { TerminalDevice } from './device/device.js';
export { plainTheme } from './device/theme.js';
export { processSignals } from './device/signals.js';
export { editorOf } from './edit-json/editor.js';
export { createLineHistory, forgetLines } from './line-editor/history.js';
export { confirmLine, pickLine } from './lines/choose-line.js';
export { createLinePerson } from './lines/line-person.js';
export type { ListAnswer, ListedGroup, ListPlace } from './prompt/group-list.js';
export { lookThrough } from './prompt/group-list.js';
export { chooseOne, confirmOne, pickOne, writeLine } from './prompt/pick-one.js';
export { viewWhole } from './prompt/view-whole.js';
export { confirmEarly } from './terminal/ask.js';
export { TerminalChannel } from './terminal/terminal.js';
