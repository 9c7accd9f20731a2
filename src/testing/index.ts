export type {
  ScriptCondition,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedRequest,
  ScriptError,
  ScriptReply,
  ScriptResultCondition,
  ScriptToolRequest,
} from '../models/index.js';
export { scriptedModel } from '../models/index.js';
export type { ReplayDifference, ReplayReport } from '../graph/index.js';
export { replayCheck } from '../graph/index.js';
export type { FakeClock, FakeClockOptions } from './fake-clock.js';
export { fakeClock } from './fake-clock.js';
export type { CrashPoint, MemoryJournal } from './journals.js';
export { crashJournal, isCrash, memoryJournal } from './journals.js';
export type { ChannelStep, InterruptMatch, ScriptedAnswer, ScriptedChannel } from './scripted-channel.js';
export { scriptedChannel } from './scripted-channel.js';
export type { StoreCase, StoreUnderTest } from './store/store-case.js';
export { sessionStoreCases } from './store/session-store-cases.js';
export type { DispatcherCase, DispatcherUnderTest } from './dispatch/dispatcher-cases.js';
export { dispatcherCases } from './dispatch/dispatcher-cases.js';
