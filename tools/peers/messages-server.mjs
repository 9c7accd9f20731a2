export { LLMock as MessagesServer } from '@copilotkit/aimock';
