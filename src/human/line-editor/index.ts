export type { LineHistory } from './history.js';
export { createLineHistory, forgetLines } from './history.js';
export type { LineStep } from './keys.js';
export { messageOf, pressKey } from './keys.js';
export type { LineOptions } from './line-editor.js';
export { editLine } from './line-editor.js';
export { pictureOf, shownText } from './picture.js';
export type { LineState } from './state.js';
export { lineState, lineText, openedPaste, pasted, withText } from './state.js';
