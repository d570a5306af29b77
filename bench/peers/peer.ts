import type { z } from "zod";

/** What each agent gets: the same model name, key and instructions. */
export const MODEL = "claude-sonnet-4-5";
export const API_KEY = "bench";
export const INSTRUCTIONS = "Use the tools, then say that you are done.";

/** A tool of an agent. */
export interface PeerTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Called with the input that the agent passes. */
  readonly run: (input: unknown) => Promise<string>;
}

/** One run of an agent. */
export interface PeerRun {
  /** The endpoint of the Messages API. */
  readonly url: string;
  /** Different for each run: the mock counts the attempts of a conversation by its messages. */
  readonly prompt: string;
  /** A folder for the workspace and journals. */
  readonly folder: string;
  readonly tools: readonly PeerTool[];
  /** Maximum requests. */
  readonly requestsMax: number;
  /** Called with each delta of text that the agent publishes. */
  readonly onText: (delta: string) => void;
  /** Cancels the run. */
  readonly signal: AbortSignal;
}

/** A library of agents, imported. */
export interface Agents {
  /**
   * Run an agent with the defaults of its library until it ends.
   *
   * @returns the text of its last message
   * @throws the error that the library reports to its caller, thrown or as an event
   */
  run(run: PeerRun): Promise<string>;
  /**
   * Prepare agents whose tool calls need an approval. The returned function starts one, and resolves once it waits, with
   * what must be held so that it can continue. Absent: the library has no such thing.
   */
  waiting?(run: PeerRun): Promise<() => Promise<unknown>>;
}

/** Import a package of the peer, and check that it has these exports. */
export type ImportPackage = <T extends object>(
  name: string,
  exports: readonly (keyof T & string)[],
) => Promise<T>;

/** A library that the bench measures. */
export interface Peer {
  readonly name: string;
  /** The packages to install, the library itself first; their versions are in package.json. None: part of the project. */
  readonly packages: readonly string[];
  /** Versions that differ from those in package.json. */
  readonly versions?: Readonly<Record<string, string>>;
  /** What a program imports to run an agent. */
  readonly imports: readonly string[];
  /** How the model ends the task: with a text, or with a tool of the library. */
  readonly endsWith: "text" | "attempt_completion";
  load(importPackage: ImportPackage): Promise<Agents>;
}
