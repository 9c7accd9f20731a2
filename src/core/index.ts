export type { AgentFingerprint, EditForm, ToolDescriptor } from './question/agent.js';
export { lastCalls } from './state/close-turn.js';
export { type McpOrigin, isMcpServerName, mcpHints, mcpToolName } from './question/mcp.js';
export {
  type SessionMode,
  SESSION_MODES,
  describeTool,
  editFormProblem,
  isEditForm,
  schemaDigest,
  toolDigest,
} from './question/agent.js';
export {
  actorProblem,
  interruptShapeProblem,
  isResolution,
  resolutionProblem,
  shapeProblem,
} from './data/answer-shape.js';
export { messagesProblem, partShape, returnedProblem } from './data/message-shape.js';
export { assertNever, invariant } from './data/assert.js';
export type { Approval, Call, CallState, ResolvedInterrupt, CallScene } from './state/call.js';
export { checkMessages, isLegalToolName } from './data/check-messages.js';
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
} from './told/documents.js';
export type {
  ErrorDetail,
  HitlErrorCode,
  HitlErrorOptions,
  HitlStatus,
  ToolErrorCode,
} from './data/errors.js';
export {
  errnoOf,
  HitlError,
  isHitlError,
  isOutcomeUnknown,
  isSuspension,
  messageOf,
  OutcomeUnknown,
  suspending,
  Suspension,
} from './data/errors.js';
export { safeJson } from './data/safe-json.js';
export type { Shown } from './data/escape.js';
export {
  escapeLines,
  escapeText,
  joined,
  laidOut,
  shown,
  shownJson,
  spaces,
  trimmed,
  unescapeText,
} from './data/escape.js';
export { type ErrorRecord, errorFrom, recordOf, thrownFrom, type ThrownRecord } from './data/error-record.js';
export type {
  RunEnd,
  SessionEvent,
  SessionEventType,
  SessionParent,
  KeptCode,
  LostRecords,
  FileBefore,
  StoredEvent,
  UnkeptFile,
  InboxDrop,
  InboxEvent,
  InboxOutcome,
  GraphEvent,
} from './state/event.js';
export { askingPeople, peopleAgreed, proposedIn, withCallPeople } from './state/people-of-call.js';
export { codeAgreed, CallBase, NO_SCENE } from './state/call.js';
export { closeSettledTurn, evolve, fold } from './answer/evolve.js';
export { inheriting } from './answer/evolve-within.js';
export type { FinishReason, Refusal, ReplyEnd, Unfinished } from './data/finish-reason.js';
export type { MediaKind } from './data/media-part.js';
export {
  extentWords,
  kindOfMedia,
  kindWords,
  mediaOf,
  mediaPart,
  mediaWords,
  sizeWords,
  MEDIA_START,
  mediaKind,
  mediaProblem,
} from './data/media-part.js';
export { type OutputForm, checkedOutput } from './data/checked-output.js';
export { type Effort, type ReplySettings, type Thinking, replySettings } from './data/reply-settings.js';
export {
  finishReasonOf,
  unfinishedOf,
  type Usage,
  addUsage,
  knownCost,
  NO_USAGE,
} from './data/finish-reason.js';
export { newGraphAnswerProblem } from './state/check-graph-answer.js';
export {
  answerEvents,
  answerProblem,
  describeInterrupt,
  interruptProblem,
  passedOn,
} from './answer/check-answer.js';
export type {
  ApprovalPolicy,
  Subject,
  Binding,
  Effect,
  Interrupt,
  InterruptDraft,
  InterruptKind,
  InterruptSource,
  NodeSource,
  RunSource,
  ToolSource,
  EscalatedFrom,
  OnTimeout,
} from './data/interrupt.js';
export type { Approvable } from './question/approvers.js';
export {
  approversOf,
  approversProblem,
  bothApprovers,
  isForNobody,
  keptApprovers,
  neededBy,
  NOBODY,
  readApprovers,
  succeeding,
} from './question/approvers.js';
export type { CastVote, Vote } from './question/standing-votes.js';
export { agreeing, standingVotes } from './question/standing-votes.js';
export { lastingProblem, policyWords, splitApproval } from './question/rule-people.js';
export type { Identified, Identity, Person, Proof, Requester } from './question/identity.js';
export {
  identify,
  isFirstNamespace,
  isNamed,
  maybeSame,
  nameProblem,
  personOf,
  plainName,
  voterOf,
} from './question/identity.js';
export { hasAsked, LAW, openQuestions } from './answer/guard.js';
export { allowedBy, isSameReviewer, isYesInForce } from './answer/reviewer.js';
export { isNo, voterProblem } from './answer/voter.js';
export { grantAnswer } from './answer/grants.js';
export type {
  MayAllow,
  Review,
  ReviewerActor,
  ReviewFailure,
  Risk,
  Authorization,
  Verdict,
} from './data/review.js';
export type { ReviewStreak } from './question/review.js';
export { allows, AUTHORIZATIONS, keptWhy, MAY_ALLOW, readVerdict, RISKS } from './data/review.js';
export {
  policyDigest,
  questionPlan,
  REVIEW_RULE,
  reviewWords,
  whyNotReviewed,
  whyPaused,
} from './question/review.js';
export { approversWords, peopleWords, votesCount } from './told/people-words.js';
export type { OpenQuestion } from './answer/guard.js';
export {
  isDeliveryNote,
  noteKey,
  planDeliveries,
  noteAfter,
  noteAgain,
  takenToRaise,
  takenToResolve,
} from './told/delivery-plan.js';
export type {
  ToldQuestion,
  DeliveryPlan,
  DeliveryStep,
  DeliveryTerms,
  DeliveryView,
  SendOutcome,
} from './told/delivery-plan.js';
export type { Naming, QuestionName } from './answer/named.js';
export {
  answeredBy,
  notWaiting,
  isYes,
  namingVerdict,
  isDigestOf,
  isDigestText,
  readQuestionName,
  shortDigest,
} from './answer/named.js';
export type { ActivationStatus, AskRecord, GatePoints, NextNode, Phase, Todo } from './state/frame.js';
export { activationId, isOperationName, isReservedKey, isUnsafeName, pathText } from './state/frame.js';
export type { GateState } from './state/operation-gate.js';
export { frameOf, openOperations, operationState } from './state/evolve-operation.js';
export { gateAt, gateState, lapsedGate, openGates } from './state/operation-gate.js';
export { givenProblem } from './state/given-value.js';
export type { GateSide, GraphOutline, OutlineEdge, OutlineNode } from './data/outline.js';
export { FIRST_VERSION } from './data/outline.js';
export type {
  AskedOperation,
  OperationKind,
  OperationRecord,
  OperationGates,
  OperationEvent,
} from './state/operation.js';
export {
  isDoing,
  isOperationGate,
  nameOfKey,
  operationOf,
  isInDoubt,
  isOver,
  mayRepeat,
  operationAsked,
} from './state/operation.js';
export type { OperationTree, TreeFacts } from './told/operation-tree.js';
export type { RunTimes, TreeLook, TreeRow } from './told/tree-rows.js';
export type { TreeNode, TreeProgress } from './told/tree-node.js';
export { activationProgress, operationTree } from './told/operation-tree.js';
export { placesOf, rowText, rowWords, treeRows, timesOf } from './told/tree-rows.js';
export {
  GraphState,
  stateDigest,
  valueAt,
  type BuiltinReducer,
  reduceValue,
  type StateChanges,
  changesOf,
} from './state/graph-state.js';
export {
  activationsOf,
  type BackPlace,
  findPlace,
  livePath,
  outputOf,
  stateBefore,
} from './state/live-path.js';
export { pastDraft, CHANGED, isAboutMessage, MESSAGE, PROPOSED } from './state/past-question.js';
export { PersistentMap } from './state/persistent-map.js';
export { lapsedStart } from './state/evolve-graph.js';
export { stateAt } from './answer/state-at.js';
export type { WaitingApproval } from './answer/without-approvals.js';
export { waitingApprovals } from './answer/without-approvals.js';
export type { InterruptId, NodePath, SessionId, ToolRef } from './data/ids.js';
export type {
  ActionChoice,
  Situation,
  ControlVerb,
  InboxControl,
  InboxItem,
  InboxMessage,
  OutsideEvent,
  MessagePriority,
  SafePoint,
} from './state/inbox-item.js';
export {
  type InboxState,
  type SeqRange,
  isGone,
  emptyState,
  openInterrupt,
  openInterrupts,
} from './state/state.js';
export { messageWords, checkTakesMessages } from './state/run-inbox.js';
export type { LeftItems, RunInbox, TakenItems, TakeOptions } from './state/run-inbox.js';
export {
  checkSessionId,
  interruptId,
  isName,
  isSessionId,
  nodePath,
  ROOT_PATH,
  toolRef,
} from './data/ids.js';
export { INTERRUPT_KINDS, isDifference, withoutKept, limitOf } from './data/interrupt.js';
export type { InterruptOptions } from './question/interrupt-signal.js';
export { interruptIn, InterruptSignal, isInterrupt } from './question/interrupt-signal.js';
export type { Deadline, Escalation, KeptDeadline, TimeoutOutcome } from './question/deadline.js';
export { deadlineOf, lasting, standIns, withPeople, DEADLINE_OPTIONS } from './question/deadline.js';
export type { CorrectedClock, Clock } from './ports/clock.js';
export type { Timer } from './answer/timers.js';
export type { Wait } from './answer/wait.js';
export { awaiting, outsideEffects, isQuestion, waitOf, waitVerb } from './answer/wait.js';
export { correctedClock, withinTime } from './ports/clock.js';
export { dueEvent, fireDue, nextTimer } from './answer/timers.js';
export { expiredResolution, isExpired, timeoutProblem } from './answer/expiry.js';
export { digestCovers, makeInterrupt } from './question/make-interrupt.js';
export { actorName, isActor, UNKNOWN_ACTOR } from './data/actor-name.js';
export type { Done, Taken, Way } from './question/way.js';
export { allowedActions, messageActions, waysAt, waysOf } from './question/offers.js';
export { allowedWords, ANSWER_WAYS, narrowed, narrowedTwice, wayProblem, doneOf } from './question/narrow.js';
export { asksAgain, changesFlow, partsOf } from './question/edits.js';
export { WAYS } from './question/ways.js';
export {
  amountText,
  limitName,
  amountUnit,
  isoTime,
  momentText,
  timeOf,
  ambiguousDuration,
  type Duration,
  durationMs,
  durationText,
  exactDuration,
  millisecondsOf,
} from './data/duration.js';
export {
  count,
  firstRow,
  onOneLine,
  plainLine,
  wrapShown,
  fromHome,
  wrapWords,
  WordWrap,
} from './data/plain-line.js';
export { fitsGlob } from './question/path-pattern.js';
export type { OptionRows, OptionTable } from './data/option-table.js';
export {
  ANYTHING,
  anyOf,
  COUNT,
  DURATION,
  FLAG,
  FUNCTION,
  LIST,
  members,
  NUMBER,
  OBJECT,
  oneOf,
  PART,
  renamed,
  required,
  SCHEMA,
  TEXT,
  checkOptions,
  optionProblems,
  optionsError,
} from './data/option-table.js';
export {
  jsonEquals,
  isDeeperThan,
  MAX_DEPTH,
  bareText,
  type JsonObject,
  type JsonValue,
  membersOf,
  ownOf,
  present,
  canonicalJson,
  deepFreeze,
  isJsonArray,
  isJsonObject,
  isJson,
  isPlain,
} from './data/json.js';
export { issueText, placeText } from './data/shape.js';
export { refusedIn, parseStrictJson } from './data/strict-json.js';
export { digestOf, sha256, hmacSha256, isSameText } from './data/digest.js';
export type {
  Message,
  Role,
  DataPart,
  MediaPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolRequestPart,
  ToolResponsePart,
} from './data/message.js';
export { mendedView, isSendable, textOf, toolRequestsOf, textPart, fenced } from './data/message.js';
export {
  type ProviderTool,
  PROVIDER_TOOLS,
  providerCallOf,
  providerResultOf,
  readableTextOf,
  type CitedSource,
  sourcesOf,
} from './data/provider-call.js';
export type { ProviderCall, ProviderResult } from './data/provider-call.js';
export { changesToBeginnings, meantHint, nearNames } from './data/near-names.js';
export type { Age, Start, Terms } from './question/terms.js';
export type { AgreedPlan, ToolPlan } from './question/plan.js';
export {
  asksForEdit,
  changedBesideEdit,
  editHolds,
  isUnseenEdit,
  askedAgainLines,
  memberDifferences,
  planDifferences,
  planDigest,
  requestIn,
  requestJson,
} from './question/plan.js';
export {
  ageProblems,
  codeName,
  codeProblems,
  isNamedByHand,
  letsRun,
  termsProblems,
  validUntil,
} from './question/terms.js';
export type { SettledVia, ToolOutcome } from './state/outcome.js';
export type {
  KeptOutput,
  SessionCopy,
  SessionCopying,
  OriginSeen,
  UnderWay,
  StoreOrigin,
  StoreKey,
  SessionStatus,
  SessionSummary,
  SessionQuery,
  WaitingQuery,
  PostOptions,
  Posted,
  AnswerFate,
  RemoveOptions,
  StoreChange,
  FileCopies,
  OutputStore,
  OpenOfKind,
  StoreStatus,
  ProgramConnection,
  StoreUpgrade,
  StoreCapabilities,
  EventTail,
  SessionStore,
  DueKind,
  Counted,
  StoreTally,
} from './ports/store.js';
export type {
  DeliveryEvent,
  DeliveryNote,
  DeliveryTarget,
  DeliveryPart,
  Deliveries,
} from './ports/deliveries.js';
export type {
  Dispatcher,
  Lack,
  WorkerNow,
  LiveWorker,
  UnservedNeed,
  Workers,
  FailingSession,
  Lacking,
  ClaimOptions,
  Worklist,
} from './ports/workers.js';
export type {
  DamageKind,
  LockOwner,
  FolderEntry,
  SessionExamination,
  SessionRepair,
  Salvage,
  StoreFinding,
  SessionRewrite,
  SessionDoctor,
} from './ports/doctor.js';
export type { AskingHelp, AskResult, EditPreview, HumanChannel, Turn, TurnSource } from './ports/human.js';
export type {
  MessageDraft,
  ControlDraft,
  SendOptions,
  SentMessage,
  PageRequest,
  MessagePage,
  MessageMetrics,
  SessionMail,
  InboxOrigins,
} from './ports/mail.js';
export type { ModelRequest, ModelReply, ModelEvent, Model } from './ports/model.js';
export type { TransientEvent, Renderer } from './ports/renderer.js';
export { callAt, LastLine } from './ports/renderer.js';
export type {
  SessionInit,
  AppendOptions,
  Journal,
  PostedAnswers,
  AppendListener,
  Session,
  WaitingItem,
} from './ports/session.js';
export type {
  ParseResult,
  ContextResult,
  Facts,
  ApprovalRequest,
  ToolContext,
  AskedAtOnce,
  NotedFile,
  ApprovedCall,
  ToolResult,
  Tool,
  ToolSet,
} from './ports/tool.js';
export type { Diff, DiffLine } from './data/diff.js';
export type { StartedCall } from './told/title.js';
export {
  askingCall,
  askedBy,
  subjectOf,
  subjectOfSource,
  raiserOf,
  sessionTitle,
  titleOf,
  callTitleOf,
  callWordsOf,
  confirmationWords,
  keptTitle,
  shownPayload,
} from './told/title.js';
export type { FileBack } from './state/files-back.js';
export { filesBackLine } from './state/files-back.js';
export { aboutEdited, changeMark, decidedWords, stateMark } from './told/decided.js';
export type { PassedBy, PassedCall, PassedGroup } from './told/passed-calls.js';
export {
  isFolded,
  passedCalls,
  passedGroups,
  passedSummary,
  passedWords,
  ReviewTally,
  toReview,
} from './told/passed-calls.js';
export type { TodoItem } from './told/todo.js';
export { currentTodo, lastTodo, TODO_TOOL, todoCount, todoItems } from './told/todo.js';
export { readDiff, withContext } from './data/diff.js';
export { mayBeUnread, unreadWords } from './question/unread.js';
export type { ChangeRow, ChangeSigns } from './told/applied-change.js';
export { appliedChange, changeLines, changeRows, isFoldedChange } from './told/applied-change.js';
export { isFourEyes } from './question/standing-votes.js';
export { commandWords, inQuotes, programName, quotedWord } from './question/command-words.js';
export { charactersOf, columnsOf } from './data/width.js';
export type { CallFacts, RuledCall } from './question/call-facts.js';
export {
  factsShown,
  NEEDS_A_LOOK,
  RUNS_IT,
  NOT_BY_PATTERN,
  NOT_BY_STAR,
  NOT_BY_WORDS,
  ONLY_READS,
  onlyReadsHere,
  IN_COPY,
  SANDBOX,
  pathsToLookAt,
  spellsMore,
  isAboutSandbox,
  noSandbox,
  SANDBOX_OFF,
} from './question/call-facts.js';
export type { RulePlace } from './question/path-pattern.js';
export type { SessionRule, SessionSize } from './question/session-scope.js';
export type { AlwaysOffer } from './question/kept-rule.js';
export { alwaysOffers } from './question/kept-rule.js';
export {
  asToolRule,
  placedScope,
  SESSION_SIZES,
  sessionRuleText,
  sessionScope,
} from './question/session-scope.js';
export type { GrantPlan, GrantRoom, GrantRow, GrantUntil } from './question/grant.js';
export {
  asksForGrant,
  GRANT_TOOL,
  grantFacts,
  grantIn,
  grantRequest,
  MOST_GRANTED,
} from './question/grant.js';
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
} from './question/judge-call.js';
export type { RuleEffect, ToolRule } from './question/tool-rule.js';
export { isGrant } from './question/tool-rule.js';
export { agentChange, servedChanges } from './state/agent-changes.js';
export type { ServedTool } from './question/served-tool.js';
export { servedTool } from './question/served-tool.js';
export {
  concerns,
  isReadOnlyByRule,
  modeInWords,
  modeRules,
  modeText,
  widthOf,
} from './question/mode-rules.js';
export { readRule, ruleInWords, ruleText } from './question/tool-rule.js';
export type {
  Actor,
  Answer,
  Unread,
  Resolution,
  AnswerWay,
  ResolutionAction,
  ShownEdit,
  VerbatimResponse,
} from './data/resolution.js';
export type { SealedAnswer, SecretSchemas } from './question/seal.js';
export { holdsSecret, maskProblem, plainAnswer, sealAnswer, shownResolution } from './question/seal.js';
export { isSecretSchema, mayHoldSecret, memberAt, withMemberAt } from './question/places.js';
export { maskedAt, maskPlaces, SECRET, shownAnswer, shownChange, withoutSecrets } from './question/masked.js';
export { SecretVault } from './question/vault.js';
export { hasPatterns, PATTERN_TOO_SLOW, withinPatternTime } from './data/pattern-time.js';
export { maskJson, maskText } from './data/secrets.js';
export { type Sequence, AppendList } from './data/sequence.js';
export type {
  Activation,
  Entry,
  Extensions,
  GraphFrame,
  HeldRule,
  OpenTurn,
  RunState,
  Compacted,
} from './state/state.js';
export type { StateBase, StateJson } from './answer/state-json.js';
export {
  areEntries,
  areMessages,
  areResolved,
  isStateBase,
  stateFromJson,
  stateToJson,
} from './answer/state-json.js';
export { compactionEnd, contextTokens, contextUsed, partTokens, textTokens } from './state/room.js';
export type {
  TranscriptMessage,
  TranscriptPart,
  TranscriptToolRequest,
  TranscriptToolResponse,
} from './told/transcript.js';
export { type ReadTranscript, readContent, readTranscript } from './told/transcript-read.js';
export { partJson, transcriptPart } from './told/transcript-part.js';
export { transcriptMessages } from './told/transcript-view.js';
export { hasLoneSurrogate, isWellFormed, toWellFormed, toWellFormedJson } from './data/well-formed.js';
export { MOST_COPIED, toolSetOf } from './ports/tool.js';
export { hasPassed, Mutex, once, untilResolved } from './data/mutex.js';
export { UnlessAborted } from './data/unless-aborted.js';
export {
  checkClear,
  CLEAR_HINT,
  clearProblem,
  isLoopbackHost,
  type Sending,
  sendingTo,
} from './told/in-the-clear.js';
export { type Problem, problemOf } from './told/http-problem.js';
export { type ServerEvent, ServerEventDecoder } from './told/server-events.js';
