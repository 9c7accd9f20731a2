/** The running program of an agent. */
export interface AgentProgram {
  /** Output of the program. Ends when the program ends. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Writes one line to the program. Rejects if the program has ended. */
  write(line: string): Promise<void>;
  /** Resolves with a description of how the program ended. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends the program and all processes that it started. */
  close(): Promise<void>;
}

/** The folder and environment in which a model's agent works, and the function that starts the agent. */
export interface AgentPlace {
  /** Absolute path of the agent's working folder. */
  readonly folder: string;
  /** Environment variables that may contain a key, for agents that can log in with one. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Starts the program of an agent.
   * @throws HitlError if it is not installed or must not be started here
   */
  start(agent: string): Promise<AgentProgram>;
  /** Shows the user a one-line message about the agent. */
  told(line: string): void;
}
