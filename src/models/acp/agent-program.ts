/** The running program of an agent. */
export interface AgentProgram {
  /** What it prints, until it ends. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Writes one line to it. Rejects once it has ended. */
  write(line: string): Promise<void>;
  /** Resolves once it has ended, to how, in words. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it, with everything that it started. */
  close(): Promise<void>;
}

/** An agent to start, as a model has it. */
export interface AgentPlace {
  /** Folder in which the agent works: absolute. */
  readonly folder: string;
  /** The environment, for its login methods that take a key. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Starts the program of an agent.
   * @throws HitlError if it is not installed, or may not start here
   */
  start(agent: string): Promise<AgentProgram>;
  /** Tells the person something about the agent, in one line. */
  told(line: string): void;
}
