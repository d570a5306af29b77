import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isExecutable } from "../shell/executable-file.ts";
import { type Access, realPath, sortedAccesses, withDenied } from "./accesses.ts";
import { blockedNote, SEATBELT_ERRORS } from "./blocked.ts";
import { type CommandFolders, ENV, envArguments, openTemporary } from "./command-folders.ts";
import type { EnteredProgram, ProgramCall } from "./entered-program.ts";
import { SandboxError } from "./error.ts";
import { HeldFiles } from "./held-files.ts";
import { type HostProxy, openHostProxy } from "./host-proxy.ts";
import type { Confinement, ProbePlace, SandboxMeans, SandboxPlace } from "./means.ts";
import { createPlaceholders } from "./placeholders.ts";
import { proxyVariables } from "./proxy-variables.ts";
import { removeTemporary } from "./remove-temporary.ts";
import { seatbeltArguments, seatbeltProfile } from "./seatbelt-profile.ts";
import { shellAccesses } from "./shell-accesses.ts";

/**
 * Seatbelt, for macOS: programs have no network but the port of their proxy. There is no namespace of processes: they see other
 * processes, but can't signal them. The process group of a program is killed when it exits, and with its task. A process that has left
 * the group is not found: it keeps its profile, and can connect to what listens on the port after the proxy.
 */
export function seatbelt(program: string): SandboxMeans {
  return {
    find: () => find(program),
    enter: (call, place) => enter(program, call, place),
    confine: (place) => confine(program, place),
    confineShell: (folders) => confineShell(program, folders),
  };
}

const NAME = "Seatbelt";

async function find(program: string): Promise<string> {
  if (await isExecutable(program)) return program;
  throw new SandboxError(
    "SANDBOX_MISSING",
    `Expected the program '${program}', which is a part of macOS, but it can't be run. Restore it, or run without a sandbox.`,
  );
}

async function enter(
  program: string,
  call: ProgramCall,
  { rules, hosts, ...place }: SandboxPlace,
): Promise<EnteredProgram> {
  const folder = realPath(await mkdtemp(path.join(tmpdir(), "signalbox-sandbox-")));
  const placeholders = createPlaceholders(rules);
  let proxy: HostProxy | undefined;
  try {
    const temporary = created(place.temporary ?? path.join(folder, "temporary"));
    const password = randomUUID();
    proxy = hosts.length === 0 ? undefined : await openHostProxy({ password }, hosts);
    const port = proxy?.port;
    const accesses = seatbeltAccesses(placeholders.accesses, temporary);
    const { cwd, env } = call;
    return {
      ...{ program, cwd, held: new HeldFiles() },
      args: [...seatbeltArguments(seatbeltProfile(accesses, port)), call.program, ...call.args],
      env: { ...env, TMPDIR: temporary, ...(port !== undefined && proxyVariables(port, password)) },
      entered: Promise.resolve(),
      leavesProcesses: true,
      isOutdated: () => false,
      async leave(output) {
        await proxy?.close();
        placeholders.remove();
        removeTemporary(folder);
        return blockedNote(output, {
          ...{ cwd, accesses: seatbeltAccesses(rules, temporary) },
          ...{ hosts: proxy?.blocked ?? [], errors: SEATBELT_ERRORS },
        });
      },
    };
  } catch (error) {
    await proxy?.close();
    placeholders.remove();
    removeTemporary(folder);
    throw error;
  }
}

async function confine(program: string, { rules, ...place }: ProbePlace): Promise<Confinement> {
  const placeholders = createPlaceholders(rules);
  const temporary = created(place.temporary);
  const accesses = seatbeltAccesses(placeholders.accesses, temporary);
  const port = place.proxyPort;
  return {
    ...{ name: NAME, program, held: new HeldFiles(), accesses, port },
    temporary: { folder: temporary, seen: temporary },
    args: seatbeltArguments(seatbeltProfile(accesses, port)),
    leave: () => placeholders.remove(),
  };
}

async function confineShell(program: string, folders: CommandFolders): Promise<Confinement> {
  const temporary = realPath(openTemporary(folders));
  const accesses = seatbeltAccesses(shellAccesses(folders), temporary);
  const profile = seatbeltProfile(accesses, undefined);
  return {
    ...{ name: NAME, program: ENV, held: new HeldFiles(), accesses, port: undefined },
    temporary: { folder: temporary, seen: temporary },
    args: [...envArguments(folders), await find(program), ...seatbeltArguments(profile)],
    leave() {},
  };
}

function created(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return realPath(folder);
}

/**
 * The accesses, where no folder can be replaced by another: instead of a temporary folder of their own in its place, programs have
 * one with its own path, and the folders of others are denied.
 */
function seatbeltAccesses(rules: readonly Access[], temporary: string): readonly Access[] {
  const denied = rules.map(
    (access): Access => (access.level === "own" ? { ...access, level: "none" } : access),
  );
  const accesses = sortedAccesses([
    { path: realPath(tmpdir()), level: "none" },
    ...denied,
    { path: temporary, level: "write" },
  ]);
  return withDenied(accesses, []);
}
