// The snapshot, whatever its bytes are: what is read is what the journal says.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { expect } from 'vitest';

import type { SessionEvent } from '../../src/core/index.js';
import { stateToJson } from '../../src/core/index.js';
import { faultyFileSystem } from '../sessions/faulty-file-system.js';
import { agent, transferTurn } from '../sessions/sample-events.js';
import { temporaryStore } from '../sessions/temporary-store.js';
import { fuzzTarget } from './fuzz.js';
import { spoils } from './journal-bytes.js';

fuzzTarget('snapshot', {
  'gives what the journal gives, or is not used (G5)': {
    property: async () => {
      const store = temporaryStore({ fs: faultyFileSystem(), lockHelpers: [() => 'locked'] });
      const made = async (turns: number) => {
        const events: SessionEvent[] = [];
        for (let turn = 1; turn <= turns; turn += 1) events.push(...transferTurn(`r${turn}`, `i${turn}`));
        await using session = await store.create({ agent });
        await session.append([...events, ...transferTurn('last', `i${turns + 1}`).slice(0, 5)]);
        return session.id;
      };
      const [id, otherId] = [await made(26), await made(27)];
      const fileOf = (session: string) => path.join(store.root, session, 'snapshot.json');
      const [good, other] = [readFileSync(fileOf(id)), readFileSync(fileOf(otherId))];
      const read = async () => {
        await using session = await store.open(id, 'read');
        return JSON.stringify([stateToJson(session.state), session.version, session.createdAt]);
      };
      writeFileSync(fileOf(id), '');
      const truth = await read();
      const bytes = fc.oneof(
        { weight: 9, arbitrary: spoils().map((spoil) => spoil(good, other)) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4000 }).map((any) => Buffer.from(any)) },
        { weight: 1, arbitrary: fc.constantFrom(good, other) },
      );
      return fc.asyncProperty(bytes, async (content) => {
        writeFileSync(fileOf(id), content);
        expect(await read()).toBe(truth);
        return true;
      });
    },
  },
});
