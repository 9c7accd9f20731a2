export type { EditRequest } from './edit-json.js';
export { editJson } from './edit-json.js';
export type { TextEditor } from './editor.js';
export { editorOf } from './editor.js';
