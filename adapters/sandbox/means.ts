import type { Access } from "./accesses.ts";
import type { CommandFolders } from "./command-folders.ts";
import type { EnteredProgram, ProgramCall } from "./entered-program.ts";
import type { HeldFiles } from "./held-files.ts";

/** The accesses of the programs of a sandbox. */
export interface SandboxPlace {
  readonly rules: readonly Access[];
  /** The hosts that they reach. */
  readonly hosts: readonly string[];
  /** The folder for the temporary files of several programs. Undefined: each program has one of its own. */
  readonly temporary: string | undefined;
}

/** The accesses of the probes of a sandbox. */
export interface ProbePlace {
  readonly rules: readonly Access[];
  readonly temporary: string;
  /** Sockets of other programs that they see. */
  readonly sockets: readonly string[];
  /** A port of the loopback in place of a proxy's. Undefined: no hosts are reached. */
  readonly proxyPort: number | undefined;
}

/** The words that start any program in a sandbox, without a proxy. */
export interface Confinement {
  /** The name of the means. */
  readonly name: string;
  readonly program: string;
  /** The arguments before the words of the program that is started. */
  readonly args: readonly string[];
  /** The files that its process inherits. They are closed when it has started. */
  readonly held: HeldFiles;
  /** The accesses that the program has. */
  readonly accesses: readonly Access[];
  /** Its folder for temporary files, and where it sees that folder. */
  readonly temporary: { readonly folder: string; readonly seen: string };
  /** The port of the loopback that it can connect to. Undefined: none. */
  readonly port: number | undefined;
  /** Remove what was made for it. */
  leave(): void;
}

/** A program of the system that confines others. */
export interface SandboxMeans {
  /**
   * The path of its program. One that commands can write is not used.
   *
   * @throws SandboxError `SANDBOX_MISSING`
   */
  find(rules: readonly Access[]): Promise<string>;
  /** Prepare the start of a program. @throws SandboxError */
  enter(call: ProgramCall, place: SandboxPlace): Promise<EnteredProgram>;
  /** Prepare the start of probes. @throws SandboxError */
  confine(place: ProbePlace): Promise<Confinement>;
  /** Prepare the start of shells that see nothing of a person. @throws SandboxError `SANDBOX_MISSING` */
  confineShell(folders: CommandFolders): Promise<Confinement>;
}
