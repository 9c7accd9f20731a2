export { activationId } from './frame.js';
