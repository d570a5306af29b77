import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Access, accessTo } from "./accesses.ts";
import type { Confinement } from "./means.ts";
import type { ProbeGround } from "./probe-ground.ts";

/** An action that is tried in a sandbox. */
export interface Probe {
  /** The action, in words that follow a verb. */
  readonly does: string;
  /** Whether the sandbox must block it. Otherwise it must let it happen. */
  readonly isBlocked: boolean;
  /** The name of the action in the program of probes, and its arguments. */
  readonly action: readonly [string, ...unknown[]];
  /** Whether its effect is seen outside. Absent: only its result tells whether it happened. */
  readonly hasEffect?: () => boolean;
  /** Remove its effect. */
  readonly undo?: () => void;
}

/**
 * The probes of a sandbox: they try new files and servers, and the files that its accesses deny. `folders`: more folders that are
 * tried if they can only be read.
 */
export function probesOf(
  { accesses, temporary, port }: Confinement,
  ground: ProbeGround,
  folders: readonly string[],
): readonly Probe[] {
  const { writable, parent, secret, tcp, unix, proxy } = ground;
  const outside = folders.filter((folder) => accessTo(accesses, folder) === "read");
  return [
    ...(accessTo(accesses, writable) === "write" ? [creates(writable, writable)] : changes(writable)),
    creates(temporary.seen, temporary.folder),
    ...[...new Set([...accesses.filter(hasLevel("read")).map(({ path: file }) => file), ...outside])].flatMap(
      changes,
    ),
    ...accesses.filter(hasLevel("none")).map(({ path: file }) => opens(file)),
    opens(secret),
    ...changes(path.dirname(secret)),
    readsByLink(secret, path.join(writable, "link")),
    renames(parent, path.join(writable, "renamed")),
    ...[tcp, unix].map((server) => connects(server, true)),
    ...(port === undefined ? [] : [connects(proxy, false)]),
  ];
}

const hasLevel =
  (wanted: Access["level"]) =>
  ({ level }: Access): boolean =>
    level === wanted;

/** A write that must succeed. `seen`: where programs see the folder. */
function creates(seen: string, folder: string): Probe {
  const [name, text] = [freshName(), randomUUID()];
  const file = path.join(folder, name);
  return {
    does: `create a file in ${seen}`,
    isBlocked: false,
    action: ["create", path.join(seen, name), text],
    hasEffect: () => existsSync(file) && readFileSync(file, "utf8") === text,
    undo: () => rmSync(file, { force: true }),
  };
}

/** A change that must be blocked: a new file in a folder, or a file that is opened to be written. Other files are not tried. */
function changes(at: string): readonly Probe[] {
  const stat = statSync(at, { throwIfNoEntry: false });
  if (stat?.isFile() === true)
    return [{ does: `open ${at} to write it`, isBlocked: true, action: ["openToWrite", at] }];
  if (stat?.isDirectory() !== true) return [];
  const file = path.join(at, freshName());
  return [
    {
      does: `create a file in ${at}`,
      isBlocked: true,
      action: ["create", file, ""],
      hasEffect: () => existsSync(file),
      undo: () => rmSync(file, { force: true }),
    },
  ];
}

const opens = (file: string): Probe => ({
  does: `read ${file}`,
  isBlocked: true,
  action: ["openToRead", file],
});

const readsByLink = (file: string, link: string): Probe => ({
  does: `read ${file} by a hard link`,
  isBlocked: true,
  action: ["readByLink", file, link],
});

const renames = (from: string, to: string): Probe => ({
  does: `rename ${from}, in which a folder can't be written`,
  isBlocked: true,
  action: ["rename", from, to],
  hasEffect: () => existsSync(to),
});

const connects = ({ at, isReached }: ProbeGround["tcp"], isBlocked: boolean): Probe => ({
  does: `connect to ${at.path ?? `${at.host}:${at.port}`}`,
  isBlocked,
  action: ["connect", at],
  hasEffect: isReached,
});

const freshName = (): string => `.signalbox-probe-${randomUUID()}`;
