// Whose word counts: votes, their receipts, people who must agree every time, and rules that name people.

import { mutant } from '../mutant.mjs';

const votes = 'test/core/votes.test.ts';
const identity = 'test/core/identity.test.ts';
const inbox = 'test/sessions/answer-inbox.test.ts';
const voteInbox = 'test/sessions/inbox/votes.test.ts';
const list = 'test/core/people.test.ts';
const again = 'test/engine/people.test.ts';
const nodes = 'test/graph/people.test.ts';
const rules = 'test/core/rules/judge-call.test.ts';

const voting = [
  mutant(
    'a person is counted by what they call themselves',
    'src/core/people/identity.ts',
    [['return subjectKey(one.subject) === subjectKey(other.subject);', 'return one.name === other.name;']],
    identity,
    votes,
  ),
  mutant(
    'a spelling is a second person',
    'src/core/people/identity.ts',
    [["return name.normalize('NFKC').trim();", 'return name;']],
    identity,
  ),
  mutant(
    'what a sign-in shows of somebody names them in a list',
    'src/core/people/identity.ts',
    [
      [
        "meansIssuer('slack', issuer) ? [name] : [subject];",
        "meansIssuer('slack', issuer) ? [name] : [subject, name];",
      ],
    ],
    identity,
  ),
  mutant(
    'another user namespace proves a user ID',
    'src/core/people/identity.ts',
    [["if (namespace === 'other')", 'if (false)']],
    identity,
  ),
  mutant(
    'a name that nothing proves is counted',
    'src/core/votes/voter.ts',
    [["if (voter.issuer === '')", 'if (false)']],
    votes,
  ),
  mutant(
    'votes of two doors count together',
    'src/core/votes/voter.ts',
    [['if (one.issuer === voter.issuer) return undefined;', 'return undefined;']],
    votes,
  ),
  mutant(
    'whoever owns the files is several people',
    'src/core/votes/voter.ts',
    [
      [
        'if (writer?.owner === undefined || !isLocalIssuer(voter.issuer)) return undefined;',
        'return undefined;',
      ],
    ],
    votes,
  ),
  mutant(
    'an author approves their own input',
    'src/core/votes/voter.ts',
    [
      [
        'if (maybeSame(by, voter)) return `${voter.name} proposed',
        'if (false) return `${voter.name} proposed',
      ],
    ],
    votes,
    again,
  ),
  mutant(
    'an edit under four eyes approves itself in a journal',
    'src/core/votes/guard.ts',
    [['if (isProposal(interrupt, resolution) !== (proposal === true))', 'if (false)']],
    votes,
  ),
  mutant(
    'a call starts with an input that somebody only proposed',
    'src/core/call/lawful.ts',
    [['if (proposal !== undefined && approval === undefined)', 'if (false)']],
    votes,
  ),
  mutant(
    'a proposal is not asked about where the tool would not ask',
    'src/engine/prepare-call.ts',
    [
      [
        'if (proposal === undefined) return wanted;',
        'if (proposal === undefined || wanted === undefined) return wanted;',
      ],
    ],
    again,
  ),
  mutant(
    'whoever says what to do instead has not asked for it',
    'src/core/votes/guard.ts',
    [
      [
        "if (answered === undefined || by.type !== 'person' || !saysWhatToDo(resolution)) return state;",
        'return state;',
      ],
    ],
    votes,
    nodes,
  ),
  mutant(
    'an edit of one passes a gate that is for others',
    'src/core/votes/voter.ts',
    [['gateEditProblem(interrupt, resolution) ??', '']],
    nodes,
  ),
  mutant(
    'a program approves what it asked for by an API',
    'src/core/votes/voter.ts',
    [['(one) => one.byApi === true &&', '(one) => false &&']],
    votes,
  ),
  mutant(
    'a decision folds without the votes that it needs',
    'src/core/votes/guard.ts',
    [['if (agreed.length < need) return', 'if (false) return']],
    votes,
  ),
  mutant(
    'a decision may name votes that were not cast',
    'src/core/votes/guard.ts',
    [['isJson(votes) && isJson(agreed) && jsonEquals(votes, agreed)', 'true']],
    votes,
  ),
  mutant(
    'a vote of whoever is not asked counts',
    'src/core/votes/guard.ts',
    [['return voterProblem(interrupt, cast, state);', 'return undefined;']],
    votes,
  ),
  mutant(
    'a decision of whoever is not asked folds',
    'src/core/votes/guard.ts',
    [['if (why !== undefined) return why;', '']],
    votes,
  ),
  mutant(
    'votes for different inputs count together',
    'src/core/votes/tally.ts',
    [
      [
        'return isJson(one) && isJson(other) && jsonEquals(one, other);',
        'return isJson(one) && isJson(other) && one.action === other.action;',
      ],
    ],
    votes,
  ),
  mutant(
    'what a person said before counts beside what they say now',
    'src/core/votes/tally.ts',
    [['.filter((vote, at) => !own.slice(at + 1).some((later) => isOfOne(later, vote)))', '']],
    votes,
  ),
  mutant(
    'a script agrees for people',
    'src/core/votes/voter.ts',
    [["by.type === 'rule' && isNo(resolution)", "by.type !== 'person'"]],
    votes,
  ),
  mutant(
    'whoever asked agrees',
    'src/core/votes/voter.ts',
    [['if (decides && hasAsked && approvers.notRequester === true)', 'if (false)']],
    votes,
  ),
  mutant(
    'somebody agrees where nobody knows who asked',
    'src/core/votes/voter.ts',
    [['if (askers === undefined) return', 'if (false) return']],
    votes,
  ),
  mutant(
    'whoever sent a message did not ask',
    'src/core/votes/guard.ts',
    [['return event.item.event === undefined ? event.item.from : undefined;', 'return undefined;']],
    votes,
  ),
  mutant(
    'the people of a question are not in its digest',
    'src/core/make-interrupt.ts',
    [['    ...(approvers !== undefined && { approvers: approversJson(approvers) }),\n', '']],
    votes,
  ),
  mutant(
    'others are asked in time without the people of the question',
    'src/core/due/timers.ts',
    [['succeeding(before, approvers); // T4', 'succeeding(undefined, approvers); // T4']],
    votes,
  ),
];

const receipts = [
  mutant(
    'an answer counts as used for being alike',
    'sessions/inbox/answer-inbox.ts',
    [['if (used !== undefined) return used === receipt;', '']],
    inbox,
  ),
  mutant(
    'whoever voted is not told that it decided',
    'sessions/inbox/answer-inbox.ts',
    [['if (votes.some((vote) => vote.receipt === receipt)) return true;', '']],
    voteInbox,
  ),
  mutant(
    'a vote that was cast is handed out again',
    'sessions/inbox/answer-inbox.ts',
    [['open.has(left.answer.id) && !isCast(left)', 'open.has(left.answer.id)']],
    voteInbox,
  ),
  mutant(
    'the same answer that lies there is left twice',
    'sessions/inbox/post-answer.ts',
    [['if (left !== undefined) {', 'if (false) {']],
    inbox,
  ),
  mutant(
    'another answer counts under a name that lies there',
    'sessions/inbox/post-answer.ts',
    [['checkSame(left.answer.id === answer.id && isSameWord(answer, left.answer), receipt);', '']],
    inbox,
  ),
  mutant(
    'another vote counts under the name of one that was cast',
    'sessions/inbox/post-answer.ts',
    [['checkSame(isSameWord(answer, vote), receipt);', '']],
    voteInbox,
  ),
  mutant(
    'a vote is cast twice under one name',
    'sessions/inbox/post-answer.ts',
    [['if (vote !== undefined) {', 'if (false) {']],
    voteInbox,
  ),
  mutant(
    'another answer is said to be the one that was recorded',
    'sessions/inbox/post-answer.ts',
    [['isUsed(answer, receipt, resolved) && isLike(answer, resolved)', 'isUsed(answer, receipt, resolved)']],
    inbox,
  ),
  mutant(
    'a vote is kept without its receipt',
    'src/core/answer/answer-events.ts',
    [
      [
        'const vote: Vote = { by, resolution, castAt: at, ...posted };',
        'const vote: Vote = { by, resolution, castAt: at };',
      ],
    ],
    voteInbox,
  ),
];

const everyTime = [
  mutant(
    'one person lets a call run again that several agreed to',
    'src/core/call/people-of-call.ts',
    [["const runs = kind !== 'question' || kept !== undefined;", 'const runs = false;']],
    again,
  ),
  mutant(
    'a question whether a call runs again names nobody',
    'src/core/call/people-of-call.ts',
    [
      [
        "if (people === undefined || (source.type === 'tool' && source.raisedBy === 'approval')) return draft;",
        'return draft;',
      ],
    ],
    again,
  ),
  mutant(
    'a call runs by the word of one whom a journal let decide alone',
    'src/core/call/people-of-call.ts',
    [['return asksPeople(interrupt, wanted) ? people : interrupt.approvers;', 'return people;']],
    again,
  ),
  mutant(
    'a node that several agreed to runs again by the word of one',
    'src/engine/interrupt-factory.ts',
    [['AGAIN.has(draft.kind) ? askingPeople(draft, this.#people) : draft', 'draft']],
    nodes,
  ),
  mutant(
    'what runs inside a node forgets the people of a node around it',
    'src/engine/interrupt-factory.ts',
    [['inside.#people = bothApprovers(this.#people, people);', 'inside.#people = people;']],
    again,
  ),
  mutant(
    'time gives a value to a question that names its people',
    'src/core/deadline/stand-ins.ts',
    [["if (outcome.action === 'respond') return undefined;", '']],
    again,
  ),
  mutant(
    'others who stand in are nobody of the people of the call',
    'src/core/deadline/stand-ins.ts',
    [
      [
        '...(later && { onTimeout: later }),\n    ...(approvers && { approvers: standInWith(approvers, people) }),',
        '...(later && { onTimeout: later }),\n    ...(approvers && { approvers }),',
      ],
    ],
    again,
  ),
];

const ruling = [
  mutant(
    'of two rules the last one says whose word it takes',
    'src/core/rules/judge-call.ts',
    [['approvers = bothApprovers(approvers, rule.approvers);', 'approvers = rule.approvers ?? approvers;']],
    rules,
  ),
  mutant(
    'of two demands the smaller number counts',
    'src/core/people/approvers.ts',
    [['need: Math.max(neededBy(one), neededBy(other)),', 'need: Math.min(neededBy(one), neededBy(other)),']],
    list,
  ),
  mutant(
    'of two lists of people the first counts',
    'src/core/people/approvers.ts',
    [['return one.filter((name) => other.includes(name)).sort();', 'return one;']],
    list,
  ),
  mutant(
    'of two demands one forgets whoever asked',
    'src/core/people/approvers.ts',
    [['(one ?? other) : one || other;', '(one ?? other) : one;']],
    list,
  ),
  mutant(
    'anybody agrees where two lists have nobody in common',
    'src/core/people/approvers.ts',
    [
      [
        'isForNobody(joined) ? NOBODY : plainPolicy(joined)',
        'isForNobody(joined) ? undefined : plainPolicy(joined)',
      ],
    ],
    list,
  ),
  mutant(
    'anybody agrees where the people of a rule cannot be read',
    'src/core/people/rule-people.ts',
    [['return { before, approvers: NOBODY, problem:', 'return { before, problem:']],
    list,
    rules,
  ),
  mutant(
    'anybody agrees where kept people cannot be read',
    'src/core/people/approvers.ts',
    [['!isJsonObject(said)) return NOBODY;', '!isJsonObject(said)) return undefined;']],
    list,
  ),
];

export const people = [...voting, ...receipts, ...everyTime, ...ruling];
