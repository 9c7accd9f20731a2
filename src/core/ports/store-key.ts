/** The key that signs what a store holds, where several machines have to have the same one. */
export interface StoreKey {
  /**
   * Makes sure that what this program records counts; the first program with a key notes it for all.
   * @throws HitlError BAD_CONFIG where the store has another key, or has one and this program none;
   * STORE_UNAVAILABLE, SESSION_UNREADABLE, SAVE_FAILED
   */
  check(): Promise<void>;
  /** The machine that noted the key; `undefined` where none is noted. @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  notedBy(): Promise<string | undefined>;
  /** Notes the key of this program in the place of another one, which counts no more. @throws HitlError SAVE_FAILED */
  replace(): Promise<void>;
}
