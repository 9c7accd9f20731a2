// Keys, pastes and resizes at any moment, while questions come and go: nothing is lost, nothing is mixed, and whatever is
// approved was approved by one key, which was pressed for it.
import fc from 'fast-check';
import { afterAll, expect } from 'vitest';

import { fuzzTarget } from './fuzz.js';
import { approvals, brokenLaws, playSchedule, schedules } from './typing-at-questions.js';

const tried = { schedules: 0, reads: 0, words: 0, questions: 0, decisions: 0, approvals: 0 };

fuzzTarget('typing at questions', {
  'whatever is typed, pasted and resized while questions come and go, no law is broken (G30, D6)': {
    runs: 60,
    longRuns: 1000,
    property: () =>
      fc.asyncProperty(schedules, async (schedule) => {
        const played = await playSchedule(schedule);
        tried.schedules += 1;
        tried.reads += played.reads.length;
        tried.words += played.words.filter(({ to }) => to === 'line').length;
        tried.questions += played.questions;
        tried.decisions += played.decisions.length;
        tried.approvals += approvals(played);
        expect(brokenLaws(played)).toEqual([]);
      }),
  },
});

afterAll(() => {
  const { schedules: all, reads, words, questions, decisions, approvals: approved } = tried;
  process.stdout.write(
    `typing at questions: ${all} schedules, ${reads} reads, ${words} words for the line, ${questions} questions, ${decisions} decisions, ${approved} approvals, each by a key of its own\n`,
  );
  expect(approved).toBeGreaterThan(all / 20);
});
