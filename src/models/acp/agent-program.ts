/** The running program of an agent. */
export interface AgentProgram {
  /** Its output, until it ends. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Writes one line to it. Rejects once it has ended. */
  write(line: string): Promise<void>;
  /** Resolves once it has ended, with a description of how. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it, with everything that it started. */
  close(): Promise<void>;
}

/** Where and how a model starts its agent. */
export interface AgentPlace {
  /** Folder in which the agent works: absolute. */
  readonly folder: string;
  /** The environment, for its login methods that read a key. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Starts the program of an agent.
   * @throws HitlError if it is not installed, or must not be started here
   */
  start(agent: string): Promise<AgentProgram>;
  /** Reports something about the agent to the user, in one line. */
  told(line: string): void;
}
