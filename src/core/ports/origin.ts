/** What a store says of the place where it is. */
export interface OriginSeen {
  /** Its rows were written in another place: nothing goes on before somebody says what it is. */
  readonly isCopy: boolean;
  /** When it was last said that it was restored from a backup: ISO 8601. */
  readonly restoredAt?: string;
  /** Its server was promoted since it was last said what it is: the numbers of the timelines then and now. */
  readonly promoted?: { readonly from: number; readonly to: number };
}

/** What is under way in a store, and would be asked about if it was restored from a backup. */
export interface UnderWay {
  /** Sessions in which something goes on by itself. */
  readonly sessions: number;
  /** Calls in them that were approved and have not begun. */
  readonly approved: number;
  /** Calls that had begun and have no end. */
  readonly begun: number;
  /** Sessions of them that run a workflow. */
  readonly workflows: number;
  /** False where there are more sessions than were looked at. */
  readonly isAll: boolean;
}

/** Tells whether a store is where its sessions were written: a backup that was restored lacks what came later. */
export interface StoreOrigin {
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  look(): Promise<OriginSeen>;
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  survey(): Promise<UnderWay>;
  /**
   * Says that the store was restored from a backup. Whoever has a session loses it, and each session is taken over when
   * it is opened next: what was approved in it does not count, and what may have begun is asked about.
   * @throws HitlError SAVE_FAILED
   */
  restored(): Promise<void>;
  /** Says that the store is the one that it was, in another place, and lacks nothing. @throws HitlError SAVE_FAILED */
  moved(): Promise<void>;
}
