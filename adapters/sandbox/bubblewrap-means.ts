import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Access, RUNTIME, TEMPORARY, withDenied } from "./accesses.ts";
import { type Blocked, BUBBLEWRAP_ERRORS, blockedNote } from "./blocked.ts";
import { type MountSources, mountArguments, shellArguments } from "./bubblewrap.ts";
import { type CommandFolders, openTemporary } from "./command-folders.ts";
import type { EnteredProgram, ProgramCall } from "./entered-program.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { FORWARDER } from "./forwarder.ts";
import { HeldFiles } from "./held-files.ts";
import { type HostProxy, openHostProxy } from "./host-proxy.ts";
import type { Confinement, ProbePlace, SandboxMeans, SandboxPlace } from "./means.ts";
import { OuterSockets } from "./outer-sockets.ts";
import { createPlaceholders, type Placeholders } from "./placeholders.ts";
import { removeTemporary } from "./remove-temporary.ts";
import { shellAccesses } from "./shell-accesses.ts";

const NAME = "Bubblewrap";

/** Where the folder of one command is mounted. */
const OWN = path.join(RUNTIME, "signalbox");

/** Where commands see their temporary folder. */
const [SEEN_TEMPORARY = "/tmp"] = TEMPORARY;

/**
 * Bubblewrap, for Linux: programs see only their own processes, which end with the program, and a loopback network of their own.
 * Hosts are reached through a proxy, which the environment names.
 */
export const BUBBLEWRAP: SandboxMeans = { find: findBubblewrap, enter, confine, confineShell };

async function enter(call: ProgramCall, { rules, hosts, ...place }: SandboxPlace): Promise<EnteredProgram> {
  const program = await findBubblewrap(rules);
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-sandbox-"));
  const placeholders = createPlaceholders(rules);
  const held = new HeldFiles();
  try {
    const temporary = place.temporary ?? path.join(folder, "temporary");
    const sources = createSources(folder, temporary);
    const proxy = await fillOwn(folder, hosts);
    const { cwd, env } = call;
    const status = path.join(folder, "status");
    const statusDescriptor = held.append(status);
    // Listed last: other programs may close them at any time.
    const sockets = new OuterSockets(rules);
    const args = [
      ...mountArguments(withDenied(placeholders.accesses, sockets.files), sources, held),
      ...["--json-status-fd", String(statusDescriptor)],
      ...["--ro-bind", path.join(folder, "own"), OWN, "--chdir", cwd, "--"],
      ...[process.execPath, path.join(OWN, "forward.cjs"), path.join(OWN, "proxy"), call.program],
      ...call.args,
    ];
    return {
      ...{ program, args, cwd, held },
      env: { ...env, TMPDIR: SEEN_TEMPORARY },
      entered: proxy.reached,
      leavesProcesses: false,
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

async function confine({ rules, temporary, sockets }: ProbePlace): Promise<Confinement> {
  const program = await findBubblewrap(rules);
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-sandbox-"));
  const placeholders = createPlaceholders(rules);
  const held = new HeldFiles();
  const remove = (): void => {
    placeholders.remove();
    removeTemporary(folder);
  };
  try {
    const sources = createSources(folder, temporary);
    const accesses = withDenied(placeholders.accesses, sockets);
    return {
      ...{ name: NAME, program, held, accesses, port: undefined },
      temporary: { folder: temporary, seen: SEEN_TEMPORARY },
      args: [...mountArguments(accesses, sources, held), "--chdir", "/", "--"],
      leave: remove,
    };
  } catch (error) {
    held.close();
    remove();
    throw error;
  }
}

async function confineShell(folders: CommandFolders): Promise<Confinement> {
  const temporary = openTemporary(folders);
  const accesses = shellAccesses(folders);
  return {
    ...{ name: NAME, program: await findBubblewrap(), args: shellArguments(folders, accesses) },
    ...{ accesses, port: undefined, temporary: { folder: temporary, seen: temporary } },
    ...{ held: new HeldFiles(), leave() {} },
  };
}

/** Create the files that are mounted in place of others. */
function createSources(folder: string, temporary: string): MountSources {
  const sources = {
    temporary,
    deniedFolder: path.join(folder, "denied-folder"),
    deniedFile: path.join(folder, "denied-file"),
  };
  mkdirSync(temporary, { recursive: true });
  mkdirSync(sources.deniedFolder, { mode: 0 });
  writeFileSync(sources.deniedFile, "", { mode: 0 });
  return sources;
}

/** Fill the folder that a command sees, and open its proxy. */
async function fillOwn(folder: string, hosts: readonly string[]): Promise<HostProxy> {
  const own = path.join(folder, "own");
  mkdirSync(own);
  writeFileSync(path.join(own, "forward.cjs"), FORWARDER);
  return openHostProxy({ path: path.join(own, "proxy") }, hosts);
}

/**
 * Whether a program was started and has ended: Bubblewrap reports no exit code of one that it could not start. Only a program
 * that was started can have removed the report.
 */
const hasStarted = (status: string): boolean =>
  !existsSync(status) || readFileSync(status, "utf8").includes('"exit-code"');

interface Parts extends Pick<Blocked, "cwd"> {
  readonly accesses: readonly Access[];
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
  return blockedNote(output, { ...place, hosts: proxy.blocked, errors: BUBBLEWRAP_ERRORS });
}
