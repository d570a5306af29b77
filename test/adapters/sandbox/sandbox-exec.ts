import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Write a program that takes the place of `sandbox-exec`, and return its path. */
export function writeSandboxExec(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "sandbox-exec");
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}

/** Starts the program, and ignores the profile. */
export const UNCONFINED = `#!/bin/sh
while [ "$1" != -- ]; do shift 2; done
shift
exec "$@"
`;

/**
 * Applies the rules about files and the denial of the network by Bubblewrap. The processes of a program are not in a namespace: as on
 * macOS, they don't end with it.
 */
export const confinedBy = (bubblewrap: string): string => `#!${process.execPath}
const fs = require("node:fs");
const { spawnSync } = require("node:child_process");
const [, , , text, ...words] = process.argv;
const end = words.indexOf("--");
const parameters = Object.fromEntries(
  words.slice(0, end).filter((_, index) => index % 2 === 1).map((word) => [word.split("=")[0], word.slice(word.indexOf("=") + 1)]),
);
const folder = fs.mkdtempSync("/var/tmp/sandbox-exec-");
fs.writeFileSync(folder + "/denied", "", { mode: 0 });
const mounts = new Map();
for (const line of text.split("\\n")) {
  const [, verb, operations, name] = /^\\((\\w+) (file-[^(]+) \\(subpath \\(param "(\\w+)"\\)\\)\\)$/.exec(line) ?? [];
  const file = parameters[name];
  if (file === undefined || !fs.existsSync(file)) continue;
  if (verb === "allow") mounts.set(file, operations.includes("write") ? ["--bind", file, file] : ["--ro-bind", file, file]);
  else if (operations.includes("read"))
    mounts.set(file, fs.statSync(file).isDirectory() ? ["--perms", "0111", "--tmpfs", file] : ["--ro-bind", folder + "/denied", file]);
}
const visible = [...mounts].filter(([, [kind]]) => kind.endsWith("bind")).map(([file]) => file);
const sockets = fs.readFileSync("/proc/net/unix", "utf8").split("\\n").map((line) => /(\\/.*)$/.exec(line)?.[1])
  .filter((file) => visible.some((each) => file?.startsWith(each + "/")) && fs.existsSync(file));
const args = ["--unshare-user", "--unshare-net", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", ...[...mounts.values()].flat(),
  ...sockets.flatMap((file) => ["--ro-bind", folder + "/denied", file]), "--chdir", process.cwd(), "--"];
const { status, signal } = spawnSync("${bubblewrap}", [...args, ...words.slice(end + 1)], { stdio: "inherit" });
fs.rmSync(folder, { recursive: true });
if (signal !== null) process.kill(process.pid, signal);
process.exitCode = status ?? 1;
`;
