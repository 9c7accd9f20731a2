export type { AgentFingerprint, ToolDescriptor } from './agent/agent.js';
export { agentChange } from './agent/agent-change.js';
export { type McpOrigin, isMcpServerName, mcpHints, mcpToolName } from './agent/mcp.js';
export { type SessionMode, SESSION_MODES } from './agent/session-mode.js';
export {
  actorProblem,
  interruptShapeProblem,
  messagesProblem,
  partShape,
  returnedProblem,
  shapeProblem,
} from './shape/index.js';
export { assertNever, invariant } from './assert.js';
export type { Approval, Call, CallState, ResolvedInterrupt } from './call/call.js';
export { describeTool, schemaDigest, toolDigest } from './agent/descriptor.js';
export { checkMessages, isLegalToolName } from './message/check-messages.js';
export type {
  AnswerMatch,
  AnswersEntry,
  ErrorDocument,
  LastReply,
  LiveEvent,
  ResultDocument,
  ResultStatus,
  RunResult,
  StreamEvent,
  TranscriptDocument,
  TranscriptInterrupt,
  WireEvent,
} from './documents.js';
export type { ErrorDetail, HitlErrorCode, HitlErrorOptions, HitlStatus, ToolErrorCode } from './errors.js';
export { errnoOf, HitlError, isHitlError, messageOf } from './errors.js';
export { isOutcomeUnknown, OutcomeUnknown } from './stopping/outcome-unknown.js';
export { isSuspension, suspending, Suspension } from './stopping/suspension.js';
export { safeJson } from './text/safe-json.js';
export type { Shown } from './text/escape.js';
export {
  escapeLines,
  escapeText,
  joined,
  laidOut,
  shown,
  shownJson,
  trimmed,
  unescapeText,
} from './text/escape.js';
export { type ErrorRecord, errorFrom, recordOf, thrownFrom, type ThrownRecord } from './error-record.js';
export type {
  RunEnd,
  SessionEvent,
  SessionEventType,
  SessionParent,
  KeptCode,
  LostRecords,
  StoredEvent,
} from './event.js';
export {
  askingPeople,
  type CallScene,
  codeAgreed,
  peopleAgreed,
  proposedIn,
  withCallPeople,
} from './call/index.js';
export { CallBase } from './call/call-base.js';
export { closeSettledTurn, evolve } from './evolve.js';
export { fold } from './fold/fold.js';
export { inheriting } from './fold/evolve-within.js';
export type { FinishReason, Refusal, ReplyEnd, Unfinished } from './message/finish-reason.js';
export type { MediaKind } from './media/index.js';
export {
  extentWords,
  kindOfMedia,
  kindWords,
  MEDIA_START,
  mediaKind,
  mediaOf,
  mediaPart,
  mediaProblem,
  mediaWords,
  sizeWords,
} from './media/index.js';
export { type OutputForm, checkedOutput } from './message/checked-output.js';
export { type Effort, type ReplySettings, type Thinking, replySettings } from './message/reply-settings.js';
export { finishReasonOf, unfinishedOf } from './message/finish-reason.js';
export { graphAnswerProblem } from './graph/check-answer.js';
export { answerEvents, answerProblem, describeInterrupt, interruptProblem } from './answer/index.js';
export * from './people/index.js';
export * from './votes/index.js';
export * from './delivery/index.js';
export type { Naming, QuestionName } from './answer/index.js';
export {
  answeredBy,
  isDigestOf,
  isDigestText,
  isYes,
  namingVerdict,
  notWaiting,
  passedOn,
  readQuestionName,
  shortDigest,
} from './answer/index.js';
export type { ActivationStatus, AskRecord, GatePoints, NextNode, Phase, Todo } from './graph/frame.js';
export { activationId } from './graph/frame.js';
export type { GateState } from './replay/index.js';
export {
  frameOf,
  gateAt,
  gateState,
  givenProblem,
  lapsedGate,
  openGates,
  openOperations,
  operationState,
} from './replay/index.js';
export type { GateSide, GraphOutline, OutlineEdge, OutlineNode } from './definition/index.js';
export { FIRST_VERSION } from './definition/index.js';
export type {
  AskedOperation,
  OperationEvent,
  OperationGates,
  OperationKind,
  OperationRecord,
} from './operation/index.js';
export {
  isDoing,
  isInDoubt,
  isOperationGate,
  isOver,
  mayRepeat,
  nameOfKey,
  operationAsked,
  operationOf,
} from './operation/index.js';
export type {
  OperationTree,
  RunTimes,
  TreeFacts,
  TreeLook,
  TreeNode,
  TreeProgress,
  TreeRow,
} from './tree/index.js';
export { operationTree, placesOf, rowText, rowWords, timesOf, treeRows } from './tree/index.js';
export type { GraphEvent } from './graph/graph-event.js';
export { GraphState, stateDigest, valueAt } from './graph/graph-state.js';
export {
  activationsOf,
  type BackPlace,
  findPlace,
  livePath,
  outputOf,
  stateBefore,
} from './graph/live-path.js';
export { pastDraft } from './graph/past-question.js';
export { pathText } from './graph/path-text.js';
export { CHANGED, isAboutMessage, MESSAGE, PROPOSED } from './graph/proposal.js';
export { PersistentMap } from './graph/persistent-map.js';
export { lapsedStart } from './graph/evolve-graph.js';
export { type BuiltinReducer, reduceValue } from './graph/reduce.js';
export { type StateChanges, changesOf } from './graph/state-changes.js';
export { stateAt } from './fold/state-at.js';
export type { WaitingApproval } from './fold/without-approvals.js';
export { waitingApprovals } from './fold/without-approvals.js';
export type { InterruptId, NodePath, SessionId, ToolRef } from './ids.js';
export type { ActionChoice, Situation } from './inbox/action-choice.js';
export type { InboxDrop, InboxEvent, InboxOutcome } from './inbox/inbox-event.js';
export type {
  ControlVerb,
  InboxControl,
  InboxItem,
  InboxMessage,
  OutsideEvent,
  MessagePriority,
} from './inbox/inbox-item.js';
export { type InboxState, type SeqRange, isGone } from './inbox/inbox-state.js';
export { isOperationName, isReservedKey, isUnsafeName } from './graph/state-key.js';
export { messageWords } from './inbox/message-words.js';
export type { LeftItems, RunInbox, TakenItems, TakeOptions } from './inbox/run-inbox.js';
export type { SafePoint } from './inbox/safe-point.js';
export { checkSessionId, interruptId, isName, isSessionId, nodePath, ROOT_PATH, toolRef } from './ids.js';
export type {
  Binding,
  Effect,
  Interrupt,
  InterruptDraft,
  InterruptKind,
  InterruptSource,
  NodeSource,
  RunSource,
  ToolSource,
} from './interrupt.js';
export { INTERRUPT_KINDS, isDifference, withoutKept } from './interrupt.js';
export type { InterruptOptions } from './interrupt-signal.js';
export { interruptIn, InterruptSignal, isInterrupt } from './interrupt-signal.js';
export type {
  Deadline,
  EscalatedFrom,
  Escalation,
  KeptDeadline,
  OnTimeout,
  TimeoutOutcome,
} from './deadline/index.js';
export { deadlineOf, lasting, standIns, withPeople } from './deadline/index.js';
export type { CorrectedClock, Timer, Wait } from './due/index.js';
export {
  awaiting,
  beforeRestoreWords,
  correctedClock,
  dueEvent,
  isQuestion,
  waitOf,
  waitVerb,
  expiredResolution,
  fireDue,
  nextTimer,
  outsideEffects,
  timeoutProblem,
} from './due/index.js';
export { digestCovers, makeInterrupt } from './make-interrupt.js';
export { actorName, isActor, UNKNOWN_ACTOR } from './actor-name.js';
export type { Done, Taken, Way } from './ways/index.js';
export {
  allowedActions,
  allowedWords,
  ANSWER_WAYS,
  asksAgain,
  changesFlow,
  doneOf,
  limitOf,
  messageActions,
  narrowed,
  narrowedTwice,
  partsOf,
  wayProblem,
  WAYS,
  waysAt,
  waysOf,
} from './ways/index.js';
export { amountText, amountUnit } from './text/amount.js';
export { count, fitsGlob, fromHome, isoTime, timeOf } from './text/index.js';
export {
  ambiguousDuration,
  type Duration,
  durationMs,
  durationText,
  exactDuration,
  millisecondsOf,
} from './text/duration.js';
export { checkTakesMessages } from './inbox/takes-messages.js';
export type { OptionRows, OptionTable } from './options/index.js';
export {
  ANYTHING,
  anyOf,
  checkOptions,
  COUNT,
  DEADLINE_OPTIONS,
  DURATION,
  FLAG,
  FUNCTION,
  LIST,
  members,
  NUMBER,
  OBJECT,
  oneOf,
  optionProblems,
  optionsError,
  PART,
  renamed,
  required,
  SCHEMA,
  TEXT,
} from './options/index.js';
export { jsonEquals } from './json/json-equals.js';
export { isDeeperThan, MAX_DEPTH } from './json/json-depth.js';
export { issueText, placeText } from './json/place-text.js';
export { refusedIn } from './json/refused-json.js';
export { bareText, isJson, isPlain, parseStrictJson } from './json/index.js';
export { type JsonObject, type JsonValue, membersOf, ownOf, present } from './json/json.js';
export { digestOf, sha256 } from './json/digest.js';
export { hmacSha256, isSameText } from './json/hmac.js';
export { canonicalJson, deepFreeze, isJsonArray, isJsonObject } from './json/json.js';
export type { Message, Role } from './message/message.js';
export { mendedView } from './message/mended-view.js';
export { isSendable, textOf, toolRequestsOf } from './message/message.js';
export { type ProviderTool, PROVIDER_TOOLS } from './message/provider-tool.js';
export type { ProviderCall, ProviderResult } from './message/provider-call.js';
export { providerCallOf, providerResultOf, readableTextOf } from './message/provider-call.js';
export { type CitedSource, sourcesOf } from './message/sources.js';
export { changesToBeginnings, meantHint, nearNames } from './text/near-names.js';
export type { Age, AgreedPlan, Start, Terms, ToolPlan } from './plan/index.js';
export {
  editHolds,
  ageProblems,
  askedAgainLines,
  codeName,
  codeProblems,
  isNamedByHand,
  letsRun,
  memberDifferences,
  planDifferences,
  planDigest,
  requestIn,
  requestJson,
  termsProblems,
  validUntil,
} from './plan/index.js';
export type { SettledVia, ToolOutcome } from './call/outcome.js';
export type {
  DataPart,
  MediaPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolRequestPart,
  ToolResponsePart,
} from './message/part.js';
export { textPart } from './message/part.js';
export { fenced } from './message/fenced.js';
export type * from './ports/index.js';
export { firstRow, onOneLine, plainLine, wrapShown } from './text/plain-line.js';
export type { Diff, DiffLine } from './title/index.js';
export {
  askingCall,
  askedBy,
  decidedWords,
  readDiff,
  shownPayload,
  subjectOf,
  subjectOfSource,
  raiserOf,
  titleOf,
  callTitleOf,
  confirmationWords,
  keptTitle,
  withContext,
} from './title/index.js';
export { commandWords, programName } from './rules/command-words.js';
export { charactersOf, columnsOf } from './text/width.js';
export { wrapWords, WordWrap } from './text/wrap-words.js';
export type { CallFacts } from './rules/call-facts.js';
export {
  factsShown,
  NEEDS_A_LOOK,
  NOT_BY_PATTERN,
  NOT_BY_STAR,
  NOT_BY_WORDS,
  pathsToLookAt,
  spellsMore,
} from './rules/call-facts.js';
export type { RulePlace } from './rules/path-pattern.js';
export type { RuledCall } from './rules/ruled-call.js';
export type { SessionRule, SessionSize } from './rules/session-scope.js';
export type { AlwaysOffer } from './rules/kept-rule.js';
export { alwaysOffers } from './rules/kept-rule.js';
export { asToolRule } from './rules/rule-of-session.js';
export { SESSION_SIZES, sessionRuleText, sessionScope } from './rules/session-scope.js';
export {
  alwaysStronger,
  coversCall,
  isAbout,
  judgeCall,
  misnamedTools,
  rulesOfNoServer,
  nearlyAllowed,
  notAsAllowed,
  outgrown,
} from './rules/judge-call.js';
export type { RuleEffect, ToolRule } from './rules/tool-rule.js';
export { servedChanges } from './rules/served-changes.js';
export type { ServedTool } from './rules/served-tool.js';
export { servedTool } from './rules/served-tool.js';
export { concerns, isReadOnlyByRule, modeInWords, modeRules, modeText } from './rules/mode-rules.js';
export { readRule, ruleInWords, ruleText } from './rules/tool-rule.js';
export type {
  Actor,
  Answer,
  Resolution,
  AnswerWay,
  ResolutionAction,
  ShownEdit,
  VerbatimResponse,
} from './resolution.js';
export type { SealedAnswer, SecretSchemas } from './secret/index.js';
export {
  holdsSecret,
  isSecretSchema,
  maskedAt,
  maskPlaces,
  maskProblem,
  mayHoldSecret,
  plainAnswer,
  sealAnswer,
  SECRET,
  SecretVault,
  shownAnswer,
  shownChange,
  shownResolution,
  memberAt,
  withoutSecrets,
  withMemberAt,
} from './secret/index.js';
export { hasPatterns, PATTERN_TOO_SLOW, withinPatternTime } from './text/pattern-time.js';
export { maskJson, maskText } from './text/secrets.js';
export { type Sequence, AppendList } from './sequence.js';
export type { Activation, Entry, Extensions, GraphFrame, HeldRule, OpenTurn, RunState } from './state.js';
export { emptyState, isAsking, openInterrupt, openInterrupts } from './state.js';
export type { StateBase, StateJson } from './fold/state-json.js';
export {
  areEntries,
  areMessages,
  areResolved,
  isStateBase,
  stateFromJson,
  stateToJson,
} from './fold/state-json.js';
export type { Compacted } from './context/index.js';
export { compactionEnd, contextTokens, contextUsed, partTokens, textTokens } from './context/index.js';
export { type Usage, addUsage, knownCost, NO_USAGE } from './message/usage.js';
export type {
  TranscriptMessage,
  TranscriptPart,
  TranscriptToolRequest,
  TranscriptToolResponse,
} from './transcript/transcript.js';
export { type ReadTranscript, readContent, readTranscript } from './transcript/transcript-read.js';
export { partJson, transcriptPart } from './transcript/transcript-part.js';
export { transcriptMessages } from './transcript/transcript-view.js';
export { hasLoneSurrogate, isWellFormed, toWellFormed, toWellFormedJson } from './json/well-formed.js';
export { toolSetOf } from './tool-set.js';
export { hasPassed, Mutex, once, untilResolved, withinTime } from './stopping/index.js';
export {
  checkClear,
  CLEAR_HINT,
  clearProblem,
  isLoopbackHost,
  type Sending,
  sendingTo,
} from './wire/in-the-clear.js';
export { type Problem, problemOf } from './wire/problem.js';
export { type ServerEvent, ServerEventDecoder } from './wire/server-events.js';
