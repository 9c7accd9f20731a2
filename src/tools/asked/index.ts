export { askHuman } from './ask-human.js';
export { requestApproval } from './request-approval.js';
