import { describe, expect, test } from 'vitest';

import { placeOf, shownLocks, shownStore, storeAddress } from '../../commands/store/address.js';

const ADDRESS = 'postgres://ann:pass%40word@db.example:5433/hitl?sslmode=require';

describe('the place of the sessions', () => {
  test('is a database where a flag or the variable names one, and a folder where a flag says so', () => {
    const env = { HITL_STORE: ADDRESS };
    expect(storeAddress({ env: {} }, {})).toBeUndefined();
    expect(storeAddress({ env: { HITL_STORE: '' } }, {})).toBeUndefined();
    expect(storeAddress({ env }, {})).toBe(ADDRESS);
    expect(storeAddress({ env }, { store: 'postgres://other' })).toBe('postgres://other');
    expect(storeAddress({ env }, { sessions: 'here' })).toBeUndefined();
  });

  test('is one, and an address of something else is refused without being repeated', () => {
    expect(() => storeAddress({ env: {} }, { store: ADDRESS, sessions: 'here' })).toThrow(
      'cannot be used together',
    );
    expect(() => storeAddress({ env: { HITL_STORE: 'mysql://ann:secret@db' } }, {})).toThrow(
      /^not a PostgreSQL URL$/,
    );
  });

  test('is a folder, unless the word begins as an address does', () => {
    expect(placeOf('./sessions')).toEqual({ sessions: './sessions' });
    expect(placeOf('C:\\sessions')).toEqual({ sessions: 'C:\\sessions' });
    expect(placeOf(ADDRESS)).toEqual({ store: ADDRESS });
    expect(placeOf('mysql://db')).toEqual({ store: 'mysql://db' });
  });

  test('is shown without its password', () => {
    expect(shownStore({ env: { HITL_STORE: ADDRESS } }, {})).toEqual({
      value: 'postgres://ann@db.example:5433/hitl',
    });
  });

  test('has a second address for locks where the variable names one, which is shown without its password', () => {
    expect(shownLocks({ env: {} })).toEqual({});
    expect(shownLocks({ env: { HITL_STORE_LOCKS: '' } })).toEqual({});
    expect(shownLocks({ env: { HITL_STORE_LOCKS: ADDRESS } })).toEqual({
      value: 'postgres://ann@db.example:5433/hitl',
    });
    expect(() => shownLocks({ env: { HITL_STORE_LOCKS: 'mysql://ann:secret@db' } })).toThrow(
      /^HITL_STORE_LOCKS is not a database URL$/,
    );
  });
});
