import { existsSync, readFileSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { accessesOf, RUNTIME, TEMPORARY, withDenied } from "./accesses.ts";
import { type Blocked, blockedNote } from "./blocked.ts";
import { mountArguments } from "./bubblewrap.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { FORWARDER } from "./forwarder.ts";
import { HeldFiles } from "./held-files.ts";
import { type HostProxy, openHostProxy } from "./host-proxy.ts";
import type { SandboxOptions } from "./options.ts";
import { OuterSockets } from "./outer-sockets.ts";
import { withoutPatterns } from "./patterns.ts";
import { createPlaceholders, type Placeholders } from "./placeholders.ts";

/** A program with its arguments, as a process is started with it. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A program that starts in a sandbox. */
export interface EnteredProgram extends ProgramCall {
  /** The files that its process inherits. They are closed when it has started. */
  readonly held: HeldFiles;
  /** Resolves when its sandbox has started. Pending where that fails. */
  readonly entered: Promise<void>;
  /** Whether it has ended without a start, as a socket to hide vanished since the preparation. A new preparation is needed. */
  isOutdated(): boolean;
  /** Remove what was made for it, once it has ended. Returns a note on what it was kept from; undefined for nothing. */
  leave(output: string): Promise<string | undefined>;
}

/** Where the folder of one command is mounted. */
const OWN = path.join(RUNTIME, "signalbox");

/**
 * Programs that run in a sandbox of their own each (Bubblewrap, Linux): they see only their own processes, which end with the
 * program, and a loopback network of their own. Hosts are reached through a proxy, which the environment names.
 */
export class CommandSandbox {
  readonly options: SandboxOptions;
  readonly #workspace: string;
  readonly #temporary: string | undefined;

  /** `temporary`: a folder for the temporary files of several programs. Default: each program has one of its own. */
  constructor(options: SandboxOptions, workspace: string, temporary?: string) {
    this.options = options;
    this.#workspace = workspace;
    this.#temporary = temporary;
  }

  /** Prepare the start of a program. @throws SandboxError */
  async enter(call: ProgramCall): Promise<EnteredProgram> {
    const rules = accessesOf(await withoutPatterns(this.options, this.#workspace), this.#workspace);
    const bubblewrap = await findBubblewrap(rules);
    const folder = await mkdtemp(path.join(tmpdir(), "signalbox-sandbox-"));
    const placeholders = createPlaceholders(rules);
    const held = new HeldFiles();
    try {
      const temporary = this.#temporary ?? path.join(folder, "temporary");
      const proxy = await fill(folder, temporary, this.options.hosts ?? []);
      const { cwd, env } = call;
      const status = path.join(folder, "status");
      const statusDescriptor = held.append(status);
      // Listed last: other programs may close them at any time.
      const sockets = new OuterSockets(rules);
      const args = [
        ...mountArguments(
          withDenied(placeholders.accesses, sockets.files),
          {
            temporary,
            deniedFolder: path.join(folder, "denied-folder"),
            deniedFile: path.join(folder, "denied-file"),
          },
          held,
        ),
        ...["--json-status-fd", String(statusDescriptor)],
        ...["--ro-bind", path.join(folder, "own"), OWN, "--chdir", cwd, "--"],
        ...[
          process.execPath,
          path.join(OWN, "forward.cjs"),
          path.join(OWN, "proxy"),
          call.program,
          ...call.args,
        ],
      ];
      return {
        ...{ program: bubblewrap, args, cwd },
        env: { ...env, TMPDIR: TEMPORARY[0] },
        held,
        entered: proxy.reached,
        isOutdated: () => !hasStarted(status) && sockets.haveVanished(),
        leave: (output) =>
          leave(output, {
            ...{ folder, placeholders, proxy, sockets, cwd },
            accesses: withDenied(rules, sockets.files),
          }),
      };
    } catch (error) {
      held.close();
      placeholders.remove();
      removeTemporary(folder);
      throw error;
    }
  }
}

/** Fill the folder of a command. */
async function fill(folder: string, temporary: string, hosts: readonly string[]): Promise<HostProxy> {
  const own = path.join(folder, "own");
  await mkdir(own);
  await mkdir(temporary, { recursive: true });
  await mkdir(path.join(folder, "denied-folder"), { mode: 0 });
  await writeFile(path.join(folder, "denied-file"), "", { mode: 0 });
  await writeFile(path.join(own, "forward.cjs"), FORWARDER);
  return openHostProxy(path.join(own, "proxy"), hosts);
}

/**
 * Whether a program was started and has ended: Bubblewrap reports no exit code of one that it could not start. Only a program
 * that was started can have removed the report.
 */
const hasStarted = (status: string): boolean =>
  !existsSync(status) || readFileSync(status, "utf8").includes('"exit-code"');

interface Parts extends Pick<Blocked, "accesses" | "cwd"> {
  readonly folder: string;
  readonly placeholders: Placeholders;
  readonly proxy: HostProxy;
  readonly sockets: OuterSockets;
}

async function leave(
  output: string,
  { folder, placeholders, proxy, sockets, ...place }: Parts,
): Promise<string | undefined> {
  await proxy.close();
  sockets.removeMountPoints();
  placeholders.remove();
  removeTemporary(folder);
  return blockedNote(output, { ...place, hosts: proxy.blocked });
}

/** Remove a folder with temporary files. A command may leave folders that only the system can remove: those are kept. */
export function removeTemporary(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}
