import type { Protocol } from "../../control/protocol.ts";
import { type ShippedOptions, shippedProtocols } from "../../control/protocols/shipped.ts";
import { CliError } from "../error.ts";
import { loadUserModule } from "../user-module.ts";
import { namingJudges } from "./naming-judges.ts";
import { labelOf } from "./plots/label.ts";

/** The threshold and the audits of a shipped protocol that is named without others. */
const STANDARD = { threshold: 0.5, auditBudget: 1 };

/**
 * The shipped protocol of this name, or the one that a module exports as `protocol`.
 * @throws CliError where there is neither
 */
export async function loadProtocol(
  nameOrFile: string,
  options: ShippedOptions = STANDARD,
): Promise<Protocol> {
  const shipped = shippedProtocols(options);
  const named = shipped.find(({ name }) => name === nameOrFile);
  if (named !== undefined) return named;
  if (!/\.[cm]?[jt]s$/.test(nameOrFile)) {
    const known = shipped.map(({ name }) => name).join(", ");
    throw new CliError(
      `--protocol: unknown protocol "${nameOrFile}". Expected one of ${known}, or a module (.js, .mjs) that exports \`protocol\`.`,
    );
  }
  const { protocol } = await loadUserModule(nameOrFile, "--protocol");
  if (isProtocol(protocol)) return namingJudges(protocol);
  const found = protocol instanceof Object ? "a plain object as `protocol`" : "no `protocol`";
  throw new CliError(
    `--protocol: ${nameOrFile} exports ${found}. Expected \`export const protocol = defineProtocol({ ... })\`, with defineProtocol from "signalbox/control".`,
  );
}

/** A protocol whose name is printed on one line, without invisible characters. */
export const withLabel = (protocol: Protocol): Protocol => ({ ...protocol, name: labelOf(protocol.name) });

/** Whether it has the form of a protocol, also of another copy of the package. */
const isProtocol = (exported: unknown): exported is Protocol =>
  exported instanceof Object &&
  "name" in exported &&
  "monitors" in exported &&
  "state" in exported &&
  "chances" in exported &&
  "explains" in exported &&
  ["judgeResponse", "judgeCall", "judgeResult"].some((judge) => judge in exported);
