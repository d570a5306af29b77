import path from "node:path";
import { type Access, accessTo, realPath } from "./accesses.ts";

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
  const paths = refusedPaths(output, errors).map(([named, isWrite]) => {
    const file = realPath(path.resolve(cwd, named));
    return { file, isWrite, level: accessTo(accesses, file) };
  });
  const written = paths.filter(({ isWrite, level }) => isWrite && level === "read");
  const read = paths.filter(({ level }) => level === "none");
  const parts = [
    ...unique(written).map((file) => ["sandbox.write", `writing ${file}`] as const),
    ...unique(read).map((file) => ["sandbox.read", `reading ${file}`] as const),
    ...hosts.map((host) => ["sandbox.hosts", `the host ${host}`] as const),
  ];
  if (parts.length === 0) return undefined;
  const settings = [...new Set(parts.map(([setting]) => setting))].join(", ");
  return `[The sandbox blocked ${parts.map(([, what]) => what).join(", ")}. Only the user can allow it, in the settings: ${settings}.]`;
}

const unique = (found: readonly { readonly file: string }[]): readonly string[] =>
  [...new Set(found.map(({ file }) => file))].slice(0, PATHS_MAX);

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
