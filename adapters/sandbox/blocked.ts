import { existsSync } from "node:fs";
import path from "node:path";
import { type Access, decidingAccess, realPath } from "./accesses.ts";

/** The facts about a command that has ended. */
export interface Blocked {
  readonly cwd: string;
  readonly accesses: readonly Access[];
  /** The hosts that the proxy did not connect to. */
  readonly hosts: readonly string[];
  readonly errors: DenialErrors;
}

/** The words of the errors of a system that a denial causes. */
export interface DenialErrors {
  /** The error of a file that can't be written. */
  readonly write: RegExp;
  /** The error of a file that can't be read. */
  readonly read: RegExp;
}

export const BUBBLEWRAP_ERRORS: DenialErrors = {
  write: /read-only file system|\bEROFS\b/i,
  read: /permission denied|\bEACCES\b/i,
};

const NOT_PERMITTED = /operation not permitted|\bEPERM\b/i;
/** Seatbelt has one error for all. */
export const SEATBELT_ERRORS: DenialErrors = { write: NOT_PERMITTED, read: NOT_PERMITTED };

/** Most paths of one note. */
const PATHS_MAX = 5;

/**
 * A note on what a sandbox kept a command from, and the settings that allow it. Undefined for nothing. A path is one that an error
 * in the output names, and that is denied.
 */
export function blockedNote(output: string, { cwd, accesses, hosts, errors }: Blocked): string | undefined {
  const files = new Map<string, BlockedAccess>();
  for (const [named, isWrite] of refusedPaths(output, errors)) {
    const file = realPath(path.resolve(cwd, named));
    const access = decidingAccess(accesses, file);
    if (access?.level === "none") files.set(`reading ${file}`, readingOf(access));
    else if (isWrite && access?.level === "read") files.set(`writing ${file}`, writingOf(access, file));
  }
  const blocked = [
    ...ofKind(files, "writing"),
    ...ofKind(files, "reading"),
    ...hosts.map((host) => [`the host ${host}`, { setting: "sandbox.hosts" }] as const),
  ];
  if (blocked.length === 0) return undefined;
  const settings = new Set(blocked.flatMap(([, { setting }]) => setting ?? []));
  const sentences = [
    `The sandbox blocked ${blocked.map(([what]) => what).join(", ")}.`,
    ...(settings.size > 0
      ? [`Only the user can allow it, in the settings: ${[...settings].join(", ")}.`]
      : []),
    ...(blocked.some(([, { setting }]) => setting === undefined)
      ? ["No setting allows files of other tasks."]
      : []),
  ];
  return `[${sentences.join(" ")}]`;
}

/** An access that was blocked. Absent: no setting allows it. */
interface BlockedAccess {
  readonly setting?: string;
}

function readingOf({ deniedBy }: Access): BlockedAccess {
  if (deniedBy === "hidden") return {};
  return { setting: deniedBy === "denyRead" ? "sandbox.denyRead" : "sandbox.read" };
}

function writingOf({ deniedBy }: Access, file: string): BlockedAccess {
  if (deniedBy === "denyWrite") return { setting: "sandbox.denyWrite" };
  // A path that does not exist can't be mounted.
  return { setting: existsSync(file) ? "sandbox.write" : "sandbox.write (the folder of a new file)" };
}

const ofKind = (
  files: ReadonlyMap<string, BlockedAccess>,
  kind: "reading" | "writing",
): readonly (readonly [string, BlockedAccess])[] =>
  [...files].filter(([what]) => what.startsWith(kind)).slice(0, PATHS_MAX);

const QUOTED = /['"‘`]([^'"’`]+)['"’`]/g;
const BEFORE = /(\S+): (?:read-only file system|permission denied|operation not permitted)/i;

/** The path that each line with an error names, in quotes or before the error, and whether the error is about writing. */
function refusedPaths(
  output: string,
  { write, read }: DenialErrors,
): readonly (readonly [string, boolean])[] {
  return output.split("\n").flatMap((line) => {
    const isWrite = write.test(line);
    if (!isWrite && !read.test(line)) return [];
    const name = [...line.matchAll(QUOTED)].at(-1)?.[1] ?? BEFORE.exec(line)?.[1];
    return name === undefined ? [] : [[name, isWrite] as const];
  });
}
