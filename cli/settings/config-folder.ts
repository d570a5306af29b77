import { homedir } from "node:os";
import path from "node:path";
import type { Io } from "../io.ts";

/** The user's folder of rules and skills: `signalbox` in `XDG_CONFIG_HOME`, or in `~/.config`. */
export function configFolder({ env }: Pick<Io, "env">): string {
  const base = env.XDG_CONFIG_HOME ?? "";
  // The XDG specification ignores a relative path.
  return path.join(path.isAbsolute(base) ? base : path.join(homedir(), ".config"), "signalbox");
}
