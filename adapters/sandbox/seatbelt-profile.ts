// cspell:words SBPL nowait autofs dirhelper dtracehelper libinfo opendirectoryd subpath sysctl urandom
import { type Access, accessTo, foldersAbove } from "./accesses.ts";

/** A profile of Seatbelt, the sandbox of macOS. */
export interface SeatbeltProfile {
  /** Rules in SBPL, Apple's language of profiles. The last rule that matches decides. No path is a part of it. */
  readonly text: string;
  /** The paths that the text names, by the names of its parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Devices that have no content of others. */
const DEVICES: readonly string[] = ["null", "zero", "random", "urandom", "dtracehelper", "autofs_nowait"];

const deviceFilters = [...DEVICES.map((name) => `(literal "/dev/${name}")`), '(subpath "/dev/fd")'].join(" ");

/**
 * The rules of all programs. Everything is denied that no rule allows: hard links, sockets, other devices such as terminals, and
 * services that would start programs outside. Allowed are the services for the names of users and of temporary folders.
 */
const BASE: readonly string[] = [
  "(version 1)",
  "(deny default)",
  "(allow process-exec*)",
  "(allow process-fork)",
  "(allow process-info* (target same-sandbox))",
  "(allow signal (target same-sandbox))",
  "(allow sysctl-read)",
  `(allow mach-lookup ${[
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
    "com.apple.bsd.dirhelper",
  ]
    .map((name) => `(global-name "${name}")`)
    .join(" ")})`,
  "(allow file-map-executable)",
];

/** Rules after those about files. */
const DEVICE_RULES: readonly string[] = [
  '(deny file-read-data file-write* (subpath "/dev"))',
  `(allow file-read-data file-write-data ${deviceFilters})`,
];

/**
 * The profile for programs with some accesses, each folder before those in it. `port`: the port of the loopback that they can
 * connect to. Without one they have no network.
 */
export function seatbeltProfile(accesses: readonly Access[], port: number | undefined): SeatbeltProfile {
  const parameters: Record<string, string> = {};
  const names = new Map<string, string>();
  /** The expression with which the text names a path. */
  const named = (file: string): string => {
    const name = names.get(file) ?? `PATH_${names.size}`;
    names.set(file, name);
    parameters[name] = file;
    return `(param "${name}")`;
  };
  const rules = accesses.flatMap(({ path: file, level }) => {
    const filter = file === "/" ? "" : ` (subpath ${named(file)})`;
    if (level === "write") return [`(allow file-read* file-write*${filter})`];
    if (level === "read") return [`(allow file-read*${filter})`, `(deny file-write*${filter})`];
    return [`(deny file-read* file-write*${filter})`];
  });
  const passed = passedFolders(accesses).map((file) => `(allow file-read-metadata (literal ${named(file)}))`);
  // A folder that is renamed takes along what is denied in it: the paths of the rules would be others.
  const pinned = accesses
    .filter(({ level }) => level === "write")
    .map(({ path: file }) => `(deny file-write-unlink (literal ${named(file)}))`);
  const network = port === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${port}"))`];
  const lines = [...BASE, ...rules, ...passed, ...pinned, ...DEVICE_RULES, ...network];
  return { text: `${lines.join("\n")}\n`, parameters };
}

/** The denied folders in which something can be accessed: they can be passed, but not be listed. */
const passedFolders = (accesses: readonly Access[]): readonly string[] => [
  ...new Set(
    accesses
      .filter(({ level }) => level === "read" || level === "write")
      .flatMap(({ path: file }) => foldersAbove(file))
      .filter((folder) => accessTo(accesses, folder) === "none"),
  ),
];

/** The arguments of `sandbox-exec` before the program. */
export const seatbeltArguments = ({ text, parameters }: SeatbeltProfile): readonly string[] => [
  ...["-p", text],
  ...Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]),
  "--",
];
