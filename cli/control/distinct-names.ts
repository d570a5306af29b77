import type { Protocol } from "../../control/protocol.ts";
import { CliError } from "../error.ts";

/** Reject two protocols of one name: nothing would tell their numbers apart. @throws CliError */
export function assertDistinctNames(protocols: readonly Protocol[]): void {
  const seen = new Set<string>();
  for (const { name } of protocols) {
    if (seen.has(name))
      throw new CliError(`--protocol: expected protocols of different names, got two "${name}".`);
    seen.add(name);
  }
}
